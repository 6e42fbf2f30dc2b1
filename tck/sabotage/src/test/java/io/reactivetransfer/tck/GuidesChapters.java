package io.reactivetransfer.tck;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Which chapters a usual build runs on the backend of the guide: those about what its NICs do
 * themselves. Its test, which the guide shows to the letter, cannot say so itself by {@link
 * Chapters}. What the others ask of an engine above them is shown on the other backends, and so is
 * what only a connection that counts bytes can break; a nightly build runs it here, too. These are
 * fewer than {@link NicChapters} has on purpose: what a NIC does where peers are lost, and how it
 * reports arrivals, is shown on real ones. JUnit finds this by its entry in META-INF/services.
 */
public final class GuidesChapters implements ExecutionCondition {

  private static final String TEST = "com.example.mynic.MyNicConformanceTest";
  private static final Set<String> OF_NICS =
      Set.of(
          "Visibility",
          "Revocation",
          "Driver",
          "DriverLimit",
          "DriverWait",
          "DriverTrust",
          "DriverReport",
          "DriverRelease",
          "DriverLoop",
          "DriverDevice",
          "Size",
          "HalfWay");

  private static final String MORE_THAN_2_GIB = "r24_11_";

  static {
    Set<String> known =
        Arrays.stream(TransferConformance.class.getDeclaredClasses())
            .map(Class::getSimpleName)
            .collect(Collectors.toSet());
    if (!known.containsAll(OF_NICS)) {
      throw new IllegalStateException("expected chapters of the kit, got " + OF_NICS);
    }
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    boolean isLeftOut =
        !Boolean.getBoolean(Chapters.ALL)
            && context
                .getTestMethod()
                .map(rule -> isOfGuide(context.getParent()) && isOfConnections(rule))
                .orElseGet(() -> isOfGuide(Optional.of(context)) && !isOfNics(context));
    return isLeftOut
        ? ConditionEvaluationResult.disabled("a nightly build runs it")
        : ConditionEvaluationResult.enabled("a usual build runs it");
  }

  /** Whether a chapter is run on the backend of the guide. */
  private static boolean isOfGuide(Optional<ExtensionContext> chapter) {
    return chapter
        .flatMap(ExtensionContext::getParent)
        .flatMap(ExtensionContext::getTestClass)
        .filter(outer -> outer.getName().equals(TEST))
        .isPresent();
  }

  private static boolean isOfNics(ExtensionContext chapter) {
    return OF_NICS.contains(chapter.getRequiredTestClass().getSimpleName());
  }

  private static boolean isOfConnections(Method rule) {
    return rule.getName().startsWith(MORE_THAN_2_GIB);
  }
}
