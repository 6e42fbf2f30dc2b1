package io.reactivetransfer.tck;

import static org.junit.jupiter.api.extension.ConditionEvaluationResult.enabled;

import io.reactivetransfer.spi.Availability.Unavailable;
import io.reactivetransfer.spi.Backend;
import java.lang.reflect.Modifier;
import java.util.Optional;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.ReflectionSupport;
import org.opentest4j.AssertionFailedError;

/**
 * Whether the backend of a test class can run here, asked once for the whole class, before anything
 * else of it runs: if it cannot, the class fails as one, or is skipped as one where its profile
 * says so. A condition for skipping, because build tools show the reason of a class that is
 * disabled, and say nothing of one that aborts; not for failing, because it would be a failure to
 * evaluate a condition.
 */
final class AvailabilityCheck implements ExecutionCondition, BeforeAllCallback {

  /** By JUnit. */
  AvailabilityCheck() {}

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return askedBy(context)
        .filter(asked -> mayBeSkipped(asked.profile()))
        .flatMap(asked -> whyNot(asked.backend()))
        .map(why -> skipped(context, why))
        .orElseGet(() -> enabled("the backend is available, or has to be"));
  }

  /** Says so itself, too: Maven counts what was skipped, and leaves the reason to its reports. */
  private static ConditionEvaluationResult skipped(ExtensionContext context, String why) {
    System.err.println(context.getRequiredTestClass().getSimpleName() + " is skipped: " + why);
    return ConditionEvaluationResult.disabled(why);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    askedBy(context)
        .flatMap(asked -> whyNot(asked.backend()).map(why -> failure(asked.profile(), why)))
        .ifPresent(failure -> {
          throw failure;
        });
  }

  /** Whether a backend that is not there makes a class skipped, and not failed. */
  static boolean mayBeSkipped(Profile profile) {
    return profile.skipsIfUnavailable() && !Boolean.getBoolean(Profile.REQUIRE_ALL);
  }

  /** Why a backend cannot run here, and what to do about it, in one line. */
  static Optional<String> whyNot(Backend backend) {
    return backend.availability() instanceof Unavailable not
        ? Optional.of(backend.name() + " is not available: " + not.reason() + "; " + not.remedy())
        : Optional.empty();
  }

  static AssertionFailedError failure(Profile profile, String why) {
    return new AssertionFailedError(
        why
            + (profile.skipsIfUnavailable()
                ? "; skipping it is forbidden by -D" + Profile.REQUIRE_ALL + "=true"
                : "; where that is no failure, say so with Profile.skipIfUnavailable()"));
  }

  /** What a test class says of its backend. */
  private record Asked(Profile profile, Backend backend) {}

  /**
   * Asks an object of the test class, of which JUnit has none yet. Not the chapters within the
   * class, nor a class that cannot be made like this, whose tests then ask one by one.
   */
  private static Optional<Asked> askedBy(ExtensionContext context) {
    Class<?> type = context.getRequiredTestClass();
    boolean isInner = type.isMemberClass() && !Modifier.isStatic(type.getModifiers());
    if (isInner || type.getDeclaredConstructors()[0].getParameterCount() > 0) {
      return Optional.empty();
    }
    return switch (ReflectionSupport.newInstance(type)) {
      case TransferConformance kit -> Optional.of(new Asked(kit.profile(), kit.backend()));
      case ProcessConformance kit ->
          Optional.of(new Asked(kit.profile(), ProcessStage.backendOf(kit)));
      default -> Optional.empty();
    };
  }
}
