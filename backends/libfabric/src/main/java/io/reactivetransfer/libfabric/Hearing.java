package io.reactivetransfer.libfabric;

import java.nio.ByteBuffer;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is heard of one peer, put in order. Providers keep the order in which messages are matched
 * with buffers, not the one in which these are full: a long one may come after a short one that was
 * sent later. And where a connection breaks and is made again, some may be missing.
 */
final class Hearing {

  /**
   * A frame further ahead is not early. rxm of libfabric 1.17 lets a message of more than 1,024
   * bytes come after all that are on their way when it is sent, and a socket's buffers hold many.
   */
  private static final int MAX_AHEAD = 65_536;

  /** What is kept until it is its turn. */
  private static final int MAX_EARLY_BYTES = 16 << 20;

  /** What a frame takes besides its content, about. */
  private static final int FRAME_BYTES = 256;

  /** No number is expected: what comes in the present epoch comes too late. */
  private static final long DEAF = -1;

  /** What a frame is to the conversation. */
  enum Step {
    /** It is its turn. */
    NEXT,
    /** The first of a new epoch: the peer had lost this NIC. */
    ANEW,
    /** Others must come before it; it is kept. */
    EARLY,
    /** What came before it is missing. */
    OUT_OF_STEP
  }

  private final TreeMap<Long, Frame> early = new TreeMap<>();
  private int earlyBytes;
  private int epoch;
  private int earlyEpoch;
  private long expected = DEAF;
  private long gapNanos;

  /** Takes a frame to the books; keeps a copy of one that is early. */
  Step hear(Frame frame, long now) {
    if (frame.epoch() == epoch && frame.number() == expected && !isDeaf()) {
      expected++;
      return Step.NEXT;
    }
    if (frame.epoch() > epoch && frame.number() == 0) {
      // Who listens to nothing has begun anew itself, and the peer's new beginning is the answer.
      // Were it taken for a loss, each side would begin anew because of the other, for ever.
      boolean answers = isDeaf();
      begin(frame.epoch());
      return answers ? Step.NEXT : Step.ANEW;
    }
    boolean deaf = frame.epoch() == epoch && isDeaf();
    long next = frame.epoch() == epoch ? expected : 0;
    if (deaf
        || frame.epoch() < epoch
        || frame.number() <= next
        || frame.number() - next > MAX_AHEAD) {
      return Step.OUT_OF_STEP;
    }
    if (frame.epoch() != earlyEpoch || early.isEmpty()) {
      forgetEarly();
      earlyEpoch = frame.epoch();
      gapNanos = now;
    }
    if (earlyBytes > MAX_EARLY_BYTES - sizeOf(frame)) {
      return Step.OUT_OF_STEP;
    }
    if (early.putIfAbsent(frame.number(), copyOf(frame)) == null) {
      earlyBytes += sizeOf(frame);
    }
    return Step.EARLY;
  }

  private static int sizeOf(Frame frame) {
    return FRAME_BYTES + frame.content().remaining();
  }

  private void forgetEarly() {
    early.clear();
    earlyBytes = 0;
  }

  private static Frame copyOf(Frame frame) {
    ByteBuffer content = ByteBuffer.allocate(frame.content().remaining());
    content.put(frame.content().duplicate()).flip();
    return new Frame(
        frame.type(),
        frame.target(),
        frame.sender(),
        frame.instance(),
        frame.epoch(),
        frame.number(),
        frame.name(),
        content);
  }

  /** The first frame of an epoch has come. */
  void begin(int newEpoch) {
    epoch = newEpoch;
    expected = 1;
    if (earlyEpoch != newEpoch) {
      forgetEarly();
    }
  }

  /** A frame that was early and whose turn it is; null if there is none. */
  @Nullable Frame next(long now) {
    if (early.isEmpty() || earlyEpoch != epoch || early.firstKey() != expected) {
      return null;
    }
    expected++;
    gapNanos = now;
    Frame first = early.pollFirstEntry().getValue();
    earlyBytes -= sizeOf(first);
    return first;
  }

  /** What is wrong with a frame that is not in its place. */
  String missing(Frame frame) {
    String came = "frame " + frame.number() + " of epoch " + frame.epoch() + " came";
    if (frame.epoch() != epoch) {
      return came + " in epoch " + epoch;
    }
    return isDeaf() ? came + " after its end" : came + " where " + expected + " was expected";
  }

  /** How long a missing frame has been waited for. */
  long gap(long now) {
    return early.isEmpty() ? 0 : now - gapNanos;
  }

  /** Time until now that does not count. */
  void nobodyLookedFor(long nanos, long now) {
    gapNanos = FabricPeer.later(gapNanos, nanos, now);
  }

  boolean hasGap() {
    return !early.isEmpty();
  }

  /** Of which epoch frames are early. */
  int earlyEpoch() {
    return earlyEpoch;
  }

  /** The last of the frames that are early; null if none is. */
  @Nullable Frame lastEarly() {
    return early.isEmpty() ? null : early.lastEntry().getValue();
  }

  /** Whether no frame was ever taken to the books. */
  boolean isNew() {
    return epoch == 0;
  }

  /** Whether it hears nothing of the present epoch, or there was none. */
  boolean isDeaf() {
    return expected == DEAF;
  }

  /** Hears nothing more of the present epoch. */
  void stop() {
    expected = DEAF;
    forgetEarly();
  }
}
