package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.kvcache.KvSpan;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What kind of order it will be.
 *
 * @param span which tokens; none for a tail alone
 * @param wantsTail whether a tail is wanted
 * @param incomplete whether those who are to serve it do not have all of it together
 * @param deadlineNanos its deadline
 * @param use what is made of the arrival
 * @param cancels whether it is cancelled at some time, unless it has ended by then
 * @param cancelStep where it is cancelled; null for at any time
 * @param layers whether it wants to hear of each layer
 * @param throwsAtLayer whether who hears of them breaks down
 */
record TripPlan(
    KvSpan span,
    boolean wantsTail,
    boolean incomplete,
    long deadlineNanos,
    Use use,
    boolean cancels,
    @Nullable Step cancelStep,
    boolean layers,
    boolean throwsAtLayer) {

  private static final long MILLI = 1_000_000;

  /** Where an order may be cancelled, besides at any time. */
  enum Step {
    REQUESTED,
    LAYER_SENT,
    LAYER_HERE,
    IN_USE,
    SCOPE_BEGUN,
    PAGES_BACK
  }

  /** What is made of an arrival. */
  enum Use {
    AT_ONCE,
    LATER,
    EMPTY,
    ERROR,
    THROWS,
    KEEP,
    HANG
  }

  /**
   * Any kind.
   *
   * @param calm whether nothing goes wrong: then there is time enough
   */
  static TripPlan draw(boolean calm, boolean incomplete, SplittableRandom random) {
    boolean tailOnly = random.nextInt(8) == 0;
    boolean wantsTail = tailOnly || random.nextInt(3) == 0;
    KvSpan span =
        tailOnly
            ? new KvSpan(0, 0)
            : new KvSpan(random.nextBoolean() ? 0 : random.nextInt(9), 1 + random.nextInt(12));
    boolean hasty = !calm && random.nextInt(8) == 0;
    long deadline =
        calm
            ? 2_000 * MILLI
            : hasty ? random.nextLong(1, 4) * MILLI : random.nextLong(20, 200) * MILLI;
    Use drawn = Use.values()[random.nextInt(Use.values().length)];
    Use use = random.nextBoolean() ? Use.AT_ONCE : drawn;
    boolean cancels = use == Use.HANG || random.nextInt(3) == 0;
    Step step = random.nextBoolean() ? null : Step.values()[random.nextInt(6)];
    boolean layers = !tailOnly && random.nextInt(3) == 0;
    boolean throwsAtLayer = layers && random.nextInt(10) == 0;
    return new TripPlan(
        span,
        wantsTail,
        incomplete && !tailOnly,
        deadline,
        use,
        cancels,
        step,
        layers,
        throwsAtLayer);
  }

  /** The same with another deadline, of whole milliseconds as all deadlines of orders are. */
  TripPlan within(long nanos) {
    long whole = Math.max(nanos - nanos % MILLI, MILLI);
    return new TripPlan(
        span, wantsTail, incomplete, whole, use, cancels, cancelStep, layers, throwsAtLayer);
  }

  boolean isTailOnly() {
    return span.tokens() == 0;
  }

  /** Whether it is cancelled at any time, rather than at a step. */
  boolean cancelsSometime() {
    return cancels && (cancelStep == null || use == Use.HANG);
  }
}
