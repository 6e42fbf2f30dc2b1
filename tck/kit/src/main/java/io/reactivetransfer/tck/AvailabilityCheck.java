package io.reactivetransfer.tck;

import static org.junit.jupiter.api.extension.ConditionEvaluationResult.enabled;

import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Availability.Unavailable;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.reflect.Modifier;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.ReflectionSupport;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.IncompleteExecutionException;

/**
 * Whether the backend of a test class, or its access to devices, can run here, asked once for the
 * whole class, before anything else of it runs: if it cannot, the class fails as one, or is skipped
 * as one where its profile says so. A condition for skipping, because build tools show the reason
 * of a class that is disabled, and say nothing of one that aborts; not for failing, because it
 * would be a failure to evaluate a condition.
 */
final class AvailabilityCheck implements ExecutionCondition, BeforeAllCallback {

  /** By JUnit. */
  AvailabilityCheck() {}

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return askedBy(context)
        .filter(asked -> mayBeSkipped(asked.profile()))
        .flatMap(asked -> asked.whyNot().get())
        .map(why -> skipped(context, why))
        .orElseGet(() -> enabled("what is tested is available, or has to be"));
  }

  /** Says so itself, too: Maven counts what was skipped, and leaves the reason to its reports. */
  private static ConditionEvaluationResult skipped(ExtensionContext context, String why) {
    System.err.println(context.getRequiredTestClass().getSimpleName() + " is skipped: " + why);
    return ConditionEvaluationResult.disabled(why);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    askedBy(context)
        .flatMap(asked -> asked.whyNot().get().map(why -> failure(asked.profile(), why)))
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
    return whyNot(backend.name(), backend.availability());
  }

  /** The same of an access to devices. */
  private static Optional<String> whyNot(DeviceAccess access) {
    return whyNot(access.kind(), access.availability());
  }

  private static Optional<String> whyNot(String name, Availability availability) {
    return availability instanceof Unavailable not
        ? Optional.of(name + " is not available: " + not.reason() + "; " + not.remedy())
        : Optional.empty();
  }

  static AssertionFailedError failure(Profile profile, String why) {
    return new AssertionFailedError(
        why
            + (profile.skipsIfUnavailable()
                ? "; skipping it is forbidden by -D" + Profile.REQUIRE_ALL + "=true"
                : "; where that is no failure, say so with Profile.skipIfUnavailable()"));
  }

  /**
   * What a test class says of its backend, or of its access to devices.
   *
   * @param whyNot why it cannot run here; asked only if it matters
   */
  private record Asked(Profile profile, Supplier<Optional<String>> whyNot) {}

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
    try {
      return switch (ReflectionSupport.newInstance(type)) {
        case TransferConformance kit ->
            Optional.of(new Asked(kit.profile(), () -> whyNot(kit.backend())));
        case ProcessConformance kit ->
            Optional.of(new Asked(kit.profile(), () -> whyNot(ProcessStage.backendOf(kit))));
        case DeviceConformance kit ->
            Optional.of(new Asked(kit.profile(), () -> whyNot(kit.access())));
        default -> Optional.empty();
      };
    } catch (IncompleteExecutionException skipped) {
      return Optional.empty(); // each test says why it is
    }
  }
}
