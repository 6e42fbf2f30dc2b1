package io.reactivetransfer.tck;

import io.reactivetransfer.spi.Backend;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** The kit as it runs on a saboteur; not a test by itself. */
@ExtendWith(Sabotaged.UntilBroken.class)
class Sabotaged extends TransferConformance {

  /**
   * A run of the kit, which is made on one thread; several go on at once.
   *
   * @param saboteur on what
   * @param signalTimeout how long a signal is waited for
   * @param ends whether it ends with the first test that fails
   */
  record Run(Saboteur saboteur, Duration signalTimeout, boolean ends, AtomicBoolean failed) {

    Run(Saboteur saboteur, Duration signalTimeout, boolean ends) {
      this(saboteur, signalTimeout, ends, new AtomicBoolean());
    }
  }

  /** Leaves out what comes behind a failure, where that is enough: it would only wait, too. */
  static final class UntilBroken implements ExecutionCondition, TestWatcher {

    @Override
    public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
      RUN.get().failed().set(true);
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      Run run = RUN.get();
      return run.ends() && run.failed().get()
          ? ConditionEvaluationResult.disabled("its rule is broken")
          : ConditionEvaluationResult.enabled("nothing is broken yet");
    }
  }

  private static final ThreadLocal<Run> RUN = new ThreadLocal<>();

  /** The runs of this thread are on this saboteur from now on. */
  static void next(Run run) {
    RUN.set(run);
  }

  @Override
  protected Backend backend() {
    return RUN.get().saboteur().newBackend();
  }

  @Override
  protected Profile profile() {
    return Profile.defaults()
        .withSignalTimeout(RUN.get().signalTimeout())
        .withSilence(silence())
        .withNicCounts(1, 3);
  }

  /** In another chance on a busy machine, what some do too soon may be seen only then. */
  private static Duration silence() {
    boolean isAnother = RUN.get().signalTimeout().equals(SabotageCheck.LONG);
    return Duration.ofMillis(isAnother ? 1_000 : 15);
  }

  @Override
  Sabotage sabotage() {
    return RUN.get().saboteur().sabotage();
  }
}
