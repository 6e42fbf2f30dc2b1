package io.reactivetransfer.tck;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Which chapters a usual build runs on the backend of the guide: those about what its NICs do. Its
 * test, which the guide shows to the letter, cannot say so itself by {@link Chapters}. What the
 * others ask of an engine is shown on the other backends; a nightly build runs them here, too.
 * JUnit finds this by its entry in META-INF/services.
 */
public final class GuidesChapters implements ExecutionCondition {

  private static final String TEST = "com.example.mynic.MyNicConformanceTest";
  private static final Set<String> OF_NICS =
      Set.of(
          "Visibility",
          "Arrival",
          "LostPeer",
          "Revocation",
          "Counting",
          "Driver",
          "DriverLimit",
          "DriverWait",
          "DriverTrust",
          "DriverReport",
          "DriverRelease",
          "DriverLoop",
          "DriverDevice",
          "Size",
          "HalfWay",
          "Leftover");

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
    Class<?> chapter = context.getTestClass().orElse(null);
    boolean isLeftOut =
        chapter != null
            && chapter.getEnclosingClass() == TransferConformance.class
            && context
                .getParent()
                .flatMap(ExtensionContext::getTestClass)
                .filter(outer -> outer.getName().equals(TEST))
                .isPresent()
            && !OF_NICS.contains(chapter.getSimpleName())
            && !Boolean.getBoolean(Chapters.ALL);
    return isLeftOut
        ? ConditionEvaluationResult.disabled("a nightly build runs it")
        : ConditionEvaluationResult.enabled("a usual build runs it");
  }
}
