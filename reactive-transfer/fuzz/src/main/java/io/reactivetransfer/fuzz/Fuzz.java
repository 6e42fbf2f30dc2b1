package io.reactivetransfer.fuzz;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs cases. How many, and of which seed, is told by system properties, so that the same tests
 * serve for a build and for a night:
 *
 * <ul>
 *   <li>{@value #CASES}: the number of cases of all targets together
 *   <li>{@value #SEED}: what decides all cases
 *   <li>{@value #CASE}: runs this case only
 * </ul>
 */
public final class Fuzz {

  /** Property: the number of cases of all targets together; 200,000 by default. */
  public static final String CASES = "reactivetransfer.fuzz.cases";

  /** Property: what decides all cases; 1 by default, so that a build fails for its own changes. */
  public static final String SEED = "reactivetransfer.fuzz.seed";

  /** Property: the only case to run. */
  public static final String CASE = "reactivetransfer.fuzz.case";

  private static final long DEFAULT_CASES = 200_000;
  private static final long DEFAULT_SEED = 1;

  /** One case. */
  @FunctionalInterface
  public interface Case {

    /** Does what the input says; throws whatever it likes if a rule does not hold. */
    void run(Input in) throws Exception;
  }

  private Fuzz() {}

  /** The seed of this run. */
  public static long seed() {
    return Long.getLong(SEED, DEFAULT_SEED);
  }

  /**
   * Runs the cases of one target.
   *
   * @throws AssertionError if one fails: with its seed, what it did, and how to run it alone
   */
  public static void run(Target target, Case test) {
    long seed = seed();
    Long only = Long.getLong(CASE);
    long first = only == null ? 0 : only;
    long count = only == null ? target.cases(Long.getLong(CASES, DEFAULT_CASES)) : 1;
    OptionalLong failed = firstFailure(target, seed, first, count, test);
    if (failed.isPresent()) {
      throw failure(target, seed, failed.getAsLong(), test);
    }
  }

  /**
   * Runs the first case of a target, whatever this run is asked for: for a test that needs an input
   * and has no cases.
   */
  public static void single(Target target, Case test) {
    Throwable failure = outcome(test, Input.of(DEFAULT_SEED, target, 0, false));
    if (failure != null) {
      throw new AssertionError(failure);
    }
  }

  /** The first case of these that fails, if one does. */
  public static OptionalLong firstFailure(
      Target target, long seed, long first, long count, Case test) {
    AtomicLong index = new AtomicLong();
    try (Watchdog _ = new Watchdog(target, seed, index::get)) {
      for (long i = first; i < first + count; i++) {
        index.setRelease(i);
        if (outcome(test, Input.of(seed, target, i, false)) != null) {
          return OptionalLong.of(i);
        }
      }
    }
    return OptionalLong.empty();
  }

  private static AssertionError failure(Target target, long seed, long index, Case test) {
    Input again = Input.of(seed, target, index, true);
    Throwable cause = outcome(test, again);
    String what = cause == null ? "nothing, when run a second time" : String.valueOf(cause);
    return new AssertionError(
        "case "
            + index
            + " of "
            + target
            + ", seed "
            + seed
            + ", failed: "
            + what
            + "\nwhat it did:\n"
            + again.notes()
            + "to run it alone:\n"
            + target.replay(seed, index),
        cause);
  }

  /** Everything is caught: an OutOfMemoryError or a StackOverflowError is what a fuzzer is for. */
  private static @Nullable Throwable outcome(Case test, Input in) {
    try {
      test.run(in);
      return null;
    } catch (Throwable e) {
      return e;
    }
  }
}
