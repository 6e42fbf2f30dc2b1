package io.reactivetransfer;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * How an engine is set up. Everything is bounded; every bound is here.
 *
 * @param nics how many NICs to open, 1 to 8; 0 for all that the backend offers
 * @param window transfers of one stream that may be in flight, 1 to 65,536
 * @param nicDepth pieces that may be in flight on one NIC, 1 to 65,536; the backend may allow less
 * @param peerDepth pieces that may be in flight to one peer, over all NICs, 1 to 1,048,576; however
 *     many, a peer has no more than twice what is left for others, where there are 16 places or
 *     more
 * @param peerBytes bytes that may be in flight to one peer, over all NICs; a piece that is longer
 *     goes alone
 * @param maxSubmissions streams and single transfers that may be subscribed to at once; one more is
 *     rejected
 * @param minPieceBytes a write is spread over several NICs only in pieces of at least so many bytes
 * @param maxUnclaimedImms different immediates that may have arrived unclaimed; one more is lost,
 *     loudly
 * @param maxMessageBytes the longest message, 1 to 16,777,216 bytes, in either direction
 * @param messageCredits messages of one sender and one channel that are kept until the application
 *     takes them, as long as they are of no more bytes than two of the longest
 * @param maxWaitingMessages messages to one peer that may wait for it to take them, 1 to 1,048,576;
 *     one more is rejected
 * @param livenessDeadline a peer that anything is waited for and that was silent this long is lost;
 *     it is asked for a sign of life every quarter of it
 * @param transferDeadline how long a transfer may take from when the engine took it over; a peer to
 *     which parts of it are still out {@code livenessDeadline} later is lost
 * @param connectTimeout how long a connection to a peer may take to come about, up to 365 days
 * @param closeTimeout how long {@code close} waits for what is in flight, up to 365 days
 * @param revocationGrace how long peers that write to a region have to stop when it is revoked or
 *     closed, before its key is ended under them, up to 365 days; 0 for no time at all
 * @param idle what a dedicated NIC thread does when there is no work
 * @param cpu the CPU to pin a dedicated NIC thread to; empty leaves it to the operating system
 * @param signalScheduler where signals come; null for {@code Schedulers.parallel()}. {@code
 *     Schedulers.immediate()} saves a hand-over and runs the caller's code on the NIC's thread:
 *     then nothing in it may block or take long. An upstream that waits, within a request, for what
 *     downstream gives back needs one with a thread to spare, such as a {@code boundedElastic()}
 */
public record EngineOptions(
    int nics,
    int window,
    int nicDepth,
    int peerDepth,
    long peerBytes,
    int maxSubmissions,
    long minPieceBytes,
    int maxUnclaimedImms,
    int maxMessageBytes,
    int messageCredits,
    int maxWaitingMessages,
    Duration livenessDeadline,
    Duration transferDeadline,
    Duration connectTimeout,
    Duration closeTimeout,
    Duration revocationGrace,
    IdleStrategy idle,
    OptionalInt cpu,
    @Nullable Scheduler signalScheduler) {

  /** Far above any sensible setting, far below what nanoseconds in 64 bits can say. */
  private static final Duration MAX_TIME = Duration.ofDays(365);

  /** Checks every bound. */
  public EngineOptions {
    requireWithin("nics", nics, 0, Nic.MAX_PER_ENGINE);
    requireWithin("window", window, 1, 1 << 16);
    requireWithin("nicDepth", nicDepth, 1, 1 << 16);
    requireWithin("peerDepth", peerDepth, 1, 1 << 20);
    requireWithin("peerBytes", peerBytes, 1, Long.MAX_VALUE);
    requireWithin("maxSubmissions", maxSubmissions, 1, 1 << 20);
    requireWithin("minPieceBytes", minPieceBytes, 1, Long.MAX_VALUE);
    requireWithin("maxUnclaimedImms", maxUnclaimedImms, 1, 1 << 24);
    requireWithin("maxMessageBytes", maxMessageBytes, 1, 1 << 24);
    requireWithin("messageCredits", messageCredits, 1, 1 << 16);
    requireWithin("maxWaitingMessages", maxWaitingMessages, 1, 1 << 20);
    requireTime("livenessDeadline", livenessDeadline);
    requireTime("transferDeadline", transferDeadline);
    requireTime("connectTimeout", connectTimeout);
    requireTime("closeTimeout", closeTimeout);
    if (!Objects.requireNonNull(revocationGrace, "revocationGrace").isZero()) {
      requireTime("revocationGrace", revocationGrace);
    }
    Objects.requireNonNull(idle, "idle");
    Objects.requireNonNull(cpu, "cpu");
    if (cpu.isPresent()) {
      requireWithin("cpu", cpu.getAsInt(), 0, 1 << 16);
    }
  }

  /**
   * The defaults: all NICs of the backend, a window of 256, 1,024 pieces per NIC, 4,096 per peer,
   * 64 MiB per peer, 65,536 submissions, pieces of at least 64 KiB, 65,536 unclaimed immediates,
   * messages of at most 1 MiB with 16 credits and 1,024 that wait, 5 s of silence, 60 s for a
   * transfer, 10 s to connect, 5 s to close, 100 ms to stop writing to what is revoked, spin then
   * back off, not pinned, signals on {@code Schedulers.parallel()}.
   */
  public static EngineOptions defaults() {
    return new Builder().build();
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  private static void requireWithin(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "expected " + name + " of " + min + " to " + max + ", got " + value);
    }
  }

  private static void requireTime(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.isNegative() || value.isZero() || value.compareTo(MAX_TIME) > 0) {
      throw new IllegalArgumentException(
          "expected a " + name + " above 0 and up to " + MAX_TIME + ", got " + value);
    }
  }

  /** Sets what differs from the defaults. */
  public static final class Builder {
    private int nics;
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
    private IdleStrategy idle = IdleStrategy.backOff();
    private OptionalInt cpu = OptionalInt.empty();
    private @Nullable Scheduler signalScheduler;

    private Builder() {}

    /** See {@link EngineOptions#nics()}. */
    public Builder nics(int nics) {
      this.nics = nics;
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

    /** The options, checked. */
    public EngineOptions build() {
      return new EngineOptions(
          nics,
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
          idle,
          cpu,
          signalScheduler);
    }
  }
}
