package io.reactivetransfer.tck;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.IncompleteExecutionException;

/**
 * The rules of one chapter of the specification. All that a subclass has is final, and the class
 * that JUnit finds is a final one within {@link TransferConformance}: a backend cannot override a
 * rule.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayNameGeneration(RuleNames.class)
@ExtendWith(RuleGroup.FailureTeller.class)
abstract class RuleGroup {

  static final long SEED = Long.getLong(Profile.SEED, 20_260_101);

  private final TransferConformance kit;
  private @Nullable Stage stage;

  RuleGroup(TransferConformance kit) {
    this.kit = kit;
  }

  @BeforeEach
  final void openStage() {
    stage = newStage();
  }

  @AfterEach
  final void closeStage() {
    stage().close();
  }

  /** The present test's. */
  final Stage stage() {
    Stage present = stage;
    if (present == null) {
      throw new IllegalStateException("expected to be within a test");
    }
    return present;
  }

  final Stage newStage() {
    return new Stage(kit, SEED);
  }

  final Sabotage sabotage() {
    return kit.sabotage();
  }

  /** For parameterized rules: the numbers of NICs that the profile names. */
  final List<Integer> nicCounts() {
    return kit.profile().nicCounts();
  }

  /** The same, without one. */
  final List<Integer> severalNics() {
    List<Integer> several = nicCounts().stream().filter(count -> count > 1).toList();
    return several.isEmpty() ? List.of(2) : several;
  }

  /** The first two of them, for what takes long and does not depend on how many there are. */
  final List<Integer> fewNics() {
    return nicCounts().stream().limit(2).toList();
  }

  /** Has a failure begin with its rule, and says with which data it failed. */
  static final class FailureTeller
      implements TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {

    /** By JUnit. */
    FailureTeller() {}

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
        throws Throwable {
      throw told(context, failure);
    }

    @Override
    public void handleBeforeEachMethodExecutionException(
        ExtensionContext context, Throwable failure) throws Throwable {
      throw told(context, failure);
    }

    @Override
    public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure)
        throws Throwable {
      throw told(context, failure);
    }

    private static Throwable told(ExtensionContext context, Throwable failure) {
      if (failure instanceof IncompleteExecutionException) {
        return failure; // it is skipped
      }
      Throwable told = FailureText.of(rule(context), failure);
      if (!(context.getRequiredTestInstance() instanceof ProcessRules)) { // these have no such data
        told.addSuppressed(new Seed("this data again: -D" + Profile.SEED + "=" + SEED));
      }
      return told;
    }

    private static String rule(ExtensionContext context) {
      String shown = context.getDisplayName();
      String name = context.getTestMethod().map(RuleNames::of).orElse(shown);
      return name.equals(shown) ? name : name + " (" + shown + ")";
    }
  }

  /** Carries the seed along with a failure. */
  private static final class Seed extends Exception {
    private static final long serialVersionUID = 1L;

    Seed(String text) {
      super(text, null, false, false);
    }
  }
}
