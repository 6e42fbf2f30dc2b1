package io.reactivetransfer.kvcache;

import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * What a decode node asks this prefill node for. Answer each one: by {@link KvPrefill#handOver}, or
 * by {@link KvPrefill#refuse}, of the object that emitted it. Safe from any thread.
 */
public final class KvRequest {

  /** How far it is with the answer. */
  private enum State {
    OPEN,
    /** A hand-over runs, and says how it ends. */
    HANDED_OVER,
    /** The application has refused it. */
    REFUSED,
    /** Decode does not want it any more, before the application had answered. */
    ABANDONED
  }

  private final KvPrefill owner;
  private final Peer decode;
  private final KvMessage.Request message;
  private final int bytes;
  private final @Nullable KvMapping mapping;
  private final Duration time;
  private final long receivedNanos;
  private final @Nullable RequestRecording recording;
  private final Sinks.Empty<Void> ended = Sinks.empty();
  private final Disposable.Composite watching = Disposables.composite();

  /** Guarded by this, like the next one. */
  private State state = State.OPEN;

  private @Nullable HandOver handOver;

  /** Why it was abandoned; null if it was not. */
  private @Nullable HandOverException over;

  /**
   * As it came.
   *
   * @param bytes how long the message is
   * @param mapping from prefill's layout to decode's; null if there are no pages
   */
  KvRequest(
      KvPrefill owner,
      Peer decode,
      KvMessage.Request message,
      int bytes,
      @Nullable KvMapping mapping) {
    this.owner = owner;
    this.decode = decode;
    this.message = message;
    this.bytes = bytes;
    this.mapping = mapping;
    Duration most = owner.cache().options.maxDeadline();
    this.time = message.deadline().compareTo(most) > 0 ? most : message.deadline();
    this.receivedNanos = now();
    Recording ofNode = owner.cache().recording;
    this.recording = ofNode.isOn() ? new RequestRecording(ofNode, this) : null;
  }

  /** Who asks. */
  public Peer decode() {
    return decode;
  }

  /** What the one who asks calls itself. */
  public String decodeName() {
    return message.node();
  }

  /** The decode side's number of the request; unique for its engine. */
  public long id() {
    return message.id();
  }

  /** The model that it is for. */
  public String model() {
    return message.model();
  }

  /** The tokens that it wants; none if it wants a tail only. */
  public KvSpan span() {
    return message.span();
  }

  /** How many pages of this side's layout hold these tokens; 0 if it wants a tail only. */
  public int pages() {
    return Math.toIntExact(span().pages(owner.memory().layout().pageTokens()));
  }

  /** Whether it wants a tail. */
  public boolean wantsTail() {
    return message.target().tail() != null;
  }

  /** How long the tail may be; 0 if none is wanted. */
  public long tailBytes() {
    KvMessage.Tail tail = message.target().tail();
    return tail == null ? 0 : tail.length();
  }

  /** The application's own bytes, such as the prompt. They may be anything. */
  public ByteBuffer body() {
    return message.body();
  }

  /**
   * How much is left of its time; 0 or less when it is over. That is the time that decode gave when
   * it sent the request, or the longest that this node gives ({@link
   * KvCacheOptions#maxDeadline()}).
   */
  public Duration remaining() {
    return time.minusNanos(now() - receivedNanos);
  }

  /**
   * Completes when the request is over for whatever reason, and nothing that is computed for it is
   * of use to anybody: all was handed over, it was refused, decode cancelled or is lost, its time
   * is over, or a hand-over has failed. Each subscription waits for itself.
   */
  public Mono<Void> ended() {
    return Mono.from(Bulkhead.<Void>around(ended::asMono));
  }

  /**
   * Completes when nothing that {@link KvPrefill#handOver} has posted for this request reads the
   * source pages and the tail any more, and nothing will: then they may be reused. At once if no
   * hand-over was begun. Needed after a cancel only, since a hand-over that ends by itself has
   * waited for that. It does not wait for what others do in the same regions, as {@link
   * io.reactivetransfer.MemoryRegion#quiesced()} does, which may be never where requests follow
   * each other. Each subscription waits for itself. Fails with {@link
   * io.reactivetransfer.TransferFailedException} if the engine closed and one of its NICs could not
   * be closed: then the memory must be neither freed nor reused.
   */
  public Mono<Void> quiet() {
    return Mono.from(Bulkhead.<Void>around(this::quietOfHandOver));
  }

  private Mono<Void> quietOfHandOver() {
    HandOver begun;
    synchronized (this) {
      begun = handOver;
    }
    return begun == null ? Mono.empty() : begun.quiet();
  }

  /** Completes when decode has lost interest before the application had answered; else never. */
  Mono<Void> abandoned() {
    return ended.asMono().then(Mono.defer(() -> isAbandoned() ? Mono.empty() : Mono.never()));
  }

  /** Only who emitted it knows that it is open, and can write to the one who asks. */
  void requireOf(KvPrefill prefill) {
    if (owner != prefill) {
      throw new IllegalArgumentException(
          "expected a request of this KvPrefill ("
              + prefill
              + "), got "
              + this
              + " to another one ("
              + owner
              + "); answer it with the KvPrefill whose requests() emitted it");
    }
  }

  KvMessage.Request message() {
    return message;
  }

  /** How long the message was that it came in. */
  int bytes() {
    return bytes;
  }

  @Nullable KvMapping mapping() {
    return mapping;
  }

  HandOverException.Node with() {
    return new HandOverException.Node("decode", decode, message.node());
  }

  KvPrefill owner() {
    return owner;
  }

  /** Is told of the end of decode's interest from now on. */
  void watch(Mono<Void> loss) {
    watching.add(Ending.of(loss, () -> {}, this::unwatched));
    watching.add(owner.cache().timers.after(remaining().toNanos(), this::late));
  }

  /** A decode node that is lost cannot be told; one that cannot be watched waits for an answer. */
  private void unwatched(Throwable failure) {
    HandOverException why = HandOverException.of(failure, with(), id());
    boolean isLost = why.reason() == HandOverException.Reason.PEER_LOST;
    abandon(why, isLost ? null : refusal(HandOverException.textOf(failure)));
  }

  private void late() {
    HandOverException late =
        because(
            HandOverException.Reason.DEADLINE,
            "expected to be done within " + timeText() + ", got only so far");
    abandon(
        late,
        new KvMessage.End(
            id(),
            KvMessage.Outcome.DEADLINE,
            true,
            0,
            "its time of " + timeText() + " was over before prefill's application had answered"));
  }

  private String timeText() {
    return time.equals(message.deadline())
        ? time.toString()
        : time + " (the longest that this prefill node gives, of " + message.deadline() + ")";
  }

  /**
   * Decode does not want it any more.
   *
   * @return false if all was done before, so that nothing of it tells decode so
   */
  boolean cancelled() {
    return abandon(
        because(HandOverException.Reason.CANCELLED, "decode cancelled it"),
        new KvMessage.End(id(), KvMessage.Outcome.CANCELLED, true, 0, "cancelled"));
  }

  /** Nobody will answer it. */
  void dropped(String reason) {
    abandon(because(HandOverException.Reason.REFUSED, reason), refusal(reason));
  }

  KvMessage.End refusal(String reason) {
    return new KvMessage.End(id(), KvMessage.Outcome.REFUSED, true, 0, reason);
  }

  HandOverException because(HandOverException.Reason reason, String text) {
    return new HandOverException(reason, with(), id(), text);
  }

  /**
   * Stops a hand-over that runs, which then answers for itself.
   *
   * @param answer what decode is told if there is none; null for nothing
   * @return false if it has completed; otherwise decode was told, or is about to be
   */
  private boolean abandon(HandOverException why, KvMessage.@Nullable End answer) {
    HandOver running;
    synchronized (this) {
      if (state == State.OPEN) {
        state = State.ABANDONED;
        over = why;
      } else if (state != State.HANDED_OVER) {
        return true;
      }
      running = handOver;
    }
    if (running == null) {
      owner.over(this, answer, why);
      return true;
    }
    boolean stopped = running.stop(why);
    if (stopped) {
      ended.tryEmitEmpty(); // what is in flight is of no use any more
    }
    return stopped;
  }

  /** Null if nobody is told of it. */
  @Nullable RequestRecording recording() {
    return recording;
  }

  /** How long it is known here. */
  Duration sinceReceived() {
    return owner.cache().timers.since(receivedNanos);
  }

  /**
   * What a recorder is told of its end.
   *
   * @param why null if all was handed over
   */
  KvRecorder.RequestEnd ending(@Nullable HandOverException why) {
    HandOver answer;
    synchronized (this) {
      answer = handOver;
    }
    return new EndedRequest(
        sinceReceived(),
        answer == null ? 0 : answer.bytes(),
        answer == null || why != null || mapping == null ? null : answer.sinceComputed(),
        why);
  }

  /** It is over: tells whoever waits for that, and watches nobody any more. */
  void end() {
    watching.dispose();
    ended.tryEmitEmpty();
  }

  /** Whether this is the first answer. */
  synchronized boolean take(HandOver taker) {
    if (state != State.OPEN) {
      return false;
    }
    state = State.HANDED_OVER;
    handOver = taker;
    return true;
  }

  /** Whether this is the first answer. */
  synchronized boolean refuse() {
    if (state != State.OPEN) {
      return false;
    }
    state = State.REFUSED;
    return true;
  }

  /** What somebody hears who answers it too late, or again. */
  synchronized HandOverException whyNotOpen() {
    return over != null
        ? over
        : because(
            HandOverException.Reason.FAILED,
            "expected a request that was not answered yet, got one that was "
                + (handOver != null ? "handed over" : "refused")
                + " before");
  }

  /**
   * Whether somebody waits for an answer. Its time may be over, or its sender lost, before that was
   * said of this one, which will be the end of it then.
   */
  boolean isWanted() {
    return isOpen() && remaining().isPositive() && decode.present().lossCause() == null;
  }

  synchronized boolean isOpen() {
    return state == State.OPEN;
  }

  private synchronized boolean isAbandoned() {
    return state == State.ABANDONED;
  }

  /** Who asks, and for what. */
  @Override
  public String toString() {
    return "request "
        + id()
        + " of "
        + with()
        + " for "
        + (pages() == 0 ? "a tail" : span() + " of model " + model());
  }

  private long now() {
    return owner.cache().timers.nanos();
  }
}
