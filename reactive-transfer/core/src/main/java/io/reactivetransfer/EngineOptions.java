package io.reactivetransfer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * How an engine is set up. Everything is bounded; every bound is here. Made by {@link #builder()};
 * immutable.
 */
public sealed interface EngineOptions permits EngineOptionValues {

  /** How many NICs to open, 1 to 8; 0 for all that the backend offers. */
  int nics();

  /**
   * Over which NICs memory of an accelerator is written from, by their names, each of which must be
   * one of the engine's. For an accelerator that is not among these, which is the default, it is
   * the nearest ones of those that read it by themselves; and all where bytes are copied through
   * the host, or where no distance is known. What these do not take for a peer, because they are
   * busy, full, silent or do not lead there, goes over the others.
   */
  Map<Device, List<String>> deviceNics();

  /** Transfers of one stream that may be in flight, 1 to 65,536. */
  int window();

  /** Pieces that may be in flight on one NIC, 1 to 65,536; the backend may allow less. */
  int nicDepth();

  /**
   * Pieces that may be in flight to one peer, over all NICs, 1 to 1,048,576; however many, a peer
   * has no more than twice what is left for others, where there are 16 places or more. One piece
   * more, if all that is in flight is on ways that are silent, while another one is left.
   */
  int peerDepth();

  /**
   * Bytes that may be in flight to one peer, over all NICs; a piece that is longer goes alone. One
   * piece more, if all that is in flight is on ways that are silent, while another one is left.
   */
  long peerBytes();

  /**
   * Streams, single transfers, claims, watches and readers of messages that may be subscribed to at
   * once; one more is rejected.
   */
  int maxSubmissions();

  /** A write is spread over several NICs only in pieces of at least so many bytes. */
  long minPieceBytes();

  /** Different immediates that may have arrived unclaimed; one more is lost, loudly. */
  int maxUnclaimedImms();

  /** The longest message, 1 to 16,777,216 bytes, in either direction. */
  int maxMessageBytes();

  /**
   * Messages of one sender and one channel that are kept until the application takes them, as long
   * as they are of no more bytes than two of the longest.
   */
  int messageCredits();

  /**
   * Messages to one peer that may wait for it to take them, 1 to 1,048,576; one more is rejected.
   */
  int maxWaitingMessages();

  /**
   * A peer that anything is waited for and that was silent this long is lost; it is asked for a
   * sign of life every quarter of it. A NIC on which something for a peer is out, and nothing has
   * ended for a quarter to a half of it, gets nothing new for that peer until something does, as
   * long as there is another one.
   */
  Duration livenessDeadline();

  /**
   * How long a transfer may take from when the engine took it over; of one of which parts are still
   * out {@code livenessDeadline} later, the ways on which they are stuck are given up, not the
   * peer.
   */
  Duration transferDeadline();

  /**
   * How long a connection to a peer may take to come about, up to 365 days. A peer that has never
   * been heard of is not lost by its silence before this time and {@link #livenessDeadline} are
   * both over.
   */
  Duration connectTimeout();

  /** How long {@code close} waits for what is in flight, up to 365 days. */
  Duration closeTimeout();

  /**
   * How long peers that write to a region have to stop when it is revoked or closed, before its key
   * is ended under them, up to 365 days; 0 for no time at all.
   */
  Duration revocationGrace();

  /**
   * How long one turn of the NIC's thread may take, up to 365 days; the {@link #recorder} is told
   * of longer ones, by {@link EngineRecorder#stalled}.
   */
  Duration stallThreshold();

  /** What a dedicated NIC thread does when there is no work. */
  IdleStrategy idle();

  /** The CPU to pin a dedicated NIC thread to; empty leaves it to the operating system. */
  OptionalInt cpu();

  /**
   * Where signals come; null for {@code Schedulers.parallel()}. {@code Schedulers.immediate()}
   * saves a hand-over and runs the caller's code on the NIC's thread: then nothing in it may block
   * or take long. An upstream that waits, within a request, for what downstream gives back needs
   * one with a thread to spare, such as a {@code boundedElastic()}.
   */
  @Nullable Scheduler signalScheduler();

  /** Who is told of what happens and is rare; {@link EngineRecorder#NONE} for nobody. */
  EngineRecorder recorder();

  /** Begins with these. */
  Builder toBuilder();

  /**
   * The defaults: all NICs of the backend, a window of 256, 1,024 pieces per NIC, 4,096 per peer,
   * 64 MiB per peer, 65,536 submissions, pieces of at least 64 KiB, 65,536 unclaimed immediates of
   * each origin, messages of at most 1 MiB with 16 credits and 1,024 that wait, 5 s of silence, one
   * minute for a transfer, 10 s to connect, 5 s to close, 100 ms to stop writing to what is
   * revoked, 10 ms for a turn, spin then back off, not pinned, signals on {@code
   * Schedulers.parallel()}, no recorder.
   */
  static EngineOptions defaults() {
    return new Builder().build();
  }

  /** Begins with the defaults. */
  static Builder builder() {
    return new Builder();
  }

  /** Sets what differs from the defaults. */
  final class Builder {
    private int nics;
    private final Map<Device, List<String>> deviceNics = new TreeMap<>();
    private int window = 256;
    private int nicDepth = 1_024;
    private int peerDepth = 4_096;
    private long peerBytes = 64L << 20;
    private int maxSubmissions = 1 << 16;
    private long minPieceBytes = 64 * 1024;
    private int maxUnclaimedImms = 1 << 16;
    private int maxMessageBytes = 1 << 20;
    private int messageCredits = 16;
    private int maxWaitingMessages = 1_024;
    private Duration livenessDeadline = Duration.ofSeconds(5);
    private Duration transferDeadline = Duration.ofSeconds(60);
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration closeTimeout = Duration.ofSeconds(5);
    private Duration revocationGrace = Duration.ofMillis(100);
    private Duration stallThreshold = Duration.ofMillis(10);
    private IdleStrategy idle = IdleStrategy.backOff();
    private OptionalInt cpu = OptionalInt.empty();
    private @Nullable Scheduler signalScheduler;
    private EngineRecorder recorder = EngineRecorder.NONE;

    Builder() {}

    /** See {@link EngineOptions#nics()}. */
    public Builder nics(int nics) {
      this.nics = nics;
      return this;
    }

    /**
     * See {@link EngineOptions#deviceNics()}.
     *
     * @param device an accelerator; one that this process does not have is no mistake
     * @param names 1 to 8, no two alike
     */
    public Builder deviceNics(Device device, String... names) {
      this.deviceNics.put(device, List.of(names));
      return this;
    }

    /** See {@link EngineOptions#window()}. */
    public Builder window(int window) {
      this.window = window;
      return this;
    }

    /** See {@link EngineOptions#nicDepth()}. */
    public Builder nicDepth(int nicDepth) {
      this.nicDepth = nicDepth;
      return this;
    }

    /** See {@link EngineOptions#peerDepth()}. */
    public Builder peerDepth(int peerDepth) {
      this.peerDepth = peerDepth;
      return this;
    }

    /** See {@link EngineOptions#peerBytes()}. */
    public Builder peerBytes(long peerBytes) {
      this.peerBytes = peerBytes;
      return this;
    }

    /** See {@link EngineOptions#maxSubmissions()}. */
    public Builder maxSubmissions(int maxSubmissions) {
      this.maxSubmissions = maxSubmissions;
      return this;
    }

    /** See {@link EngineOptions#minPieceBytes()}. */
    public Builder minPieceBytes(long minPieceBytes) {
      this.minPieceBytes = minPieceBytes;
      return this;
    }

    /** See {@link EngineOptions#maxUnclaimedImms()}. */
    public Builder maxUnclaimedImms(int maxUnclaimedImms) {
      this.maxUnclaimedImms = maxUnclaimedImms;
      return this;
    }

    /** See {@link EngineOptions#maxMessageBytes()}. */
    public Builder maxMessageBytes(int maxMessageBytes) {
      this.maxMessageBytes = maxMessageBytes;
      return this;
    }

    /** See {@link EngineOptions#messageCredits()}. */
    public Builder messageCredits(int messageCredits) {
      this.messageCredits = messageCredits;
      return this;
    }

    /** See {@link EngineOptions#maxWaitingMessages()}. */
    public Builder maxWaitingMessages(int messages) {
      this.maxWaitingMessages = messages;
      return this;
    }

    /** See {@link EngineOptions#livenessDeadline()}. */
    public Builder livenessDeadline(Duration livenessDeadline) {
      this.livenessDeadline = Objects.requireNonNull(livenessDeadline, "livenessDeadline");
      return this;
    }

    /** See {@link EngineOptions#transferDeadline()}. */
    public Builder transferDeadline(Duration transferDeadline) {
      this.transferDeadline = Objects.requireNonNull(transferDeadline, "transferDeadline");
      return this;
    }

    /** See {@link EngineOptions#connectTimeout()}. */
    public Builder connectTimeout(Duration connectTimeout) {
      this.connectTimeout = Objects.requireNonNull(connectTimeout, "connectTimeout");
      return this;
    }

    /** See {@link EngineOptions#closeTimeout()}. */
    public Builder closeTimeout(Duration closeTimeout) {
      this.closeTimeout = Objects.requireNonNull(closeTimeout, "closeTimeout");
      return this;
    }

    /** See {@link EngineOptions#revocationGrace()}. */
    public Builder revocationGrace(Duration revocationGrace) {
      this.revocationGrace = Objects.requireNonNull(revocationGrace, "revocationGrace");
      return this;
    }

    /** See {@link EngineOptions#stallThreshold()}; 10 ms unless it is given. */
    public Builder stallThreshold(Duration stallThreshold) {
      this.stallThreshold = Objects.requireNonNull(stallThreshold, "stallThreshold");
      return this;
    }

    /** See {@link EngineOptions#idle()}. */
    public Builder idle(IdleStrategy idle) {
      this.idle = Objects.requireNonNull(idle, "idle");
      return this;
    }

    /** See {@link EngineOptions#cpu()}. */
    public Builder cpu(int cpu) {
      this.cpu = OptionalInt.of(cpu);
      return this;
    }

    /** See {@link EngineOptions#signalScheduler()}. */
    public Builder signalScheduler(@Nullable Scheduler signalScheduler) {
      this.signalScheduler = signalScheduler;
      return this;
    }

    /** See {@link EngineOptions#recorder()}. */
    public Builder recorder(EngineRecorder recorder) {
      this.recorder = Objects.requireNonNull(recorder, "recorder");
      return this;
    }

    /** The options, checked. */
    public EngineOptions build() {
      return new EngineOptionValues(
          nics,
          deviceNics,
          window,
          nicDepth,
          peerDepth,
          peerBytes,
          maxSubmissions,
          minPieceBytes,
          maxUnclaimedImms,
          maxMessageBytes,
          messageCredits,
          maxWaitingMessages,
          livenessDeadline,
          transferDeadline,
          connectTimeout,
          closeTimeout,
          revocationGrace,
          stallThreshold,
          idle,
          cpu,
          signalScheduler,
          recorder);
    }
  }
}
