package io.reactivetransfer.tck;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import io.reactivetransfer.fuzz.CapturedLog;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.Filter;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Runs the kit on a saboteur. */
final class SabotagedRun {

  private static final Pattern RULE = Pattern.compile("\\br(\\d+)_(\\d+)_");

  private SabotagedRun() {}

  /**
   * Which rules it broke, and how: the first line of each failure, one below the other.
   *
   * @throws AssertionError if the saboteur has tripped over a mistake of its own
   */
  static Map<String, String> brokenRules(
      Saboteur saboteur,
      Duration signalTimeout,
      List<? extends DiscoverySelector> what,
      Filter<?>... filters) {
    return brokenRules(new Sabotaged.Run(saboteur, signalTimeout, false), what, filters);
  }

  /** The same of a run that perhaps ends with the first failure. */
  static Map<String, String> brokenRules(
      Sabotaged.Run run, List<? extends DiscoverySelector> what, Filter<?>... filters) {
    Sabotaged.next(run);
    return brokenRules(what, filters);
  }

  /** The same of what runs on a saboteur by now. */
  static Map<String, String> brokenRules(
      List<? extends DiscoverySelector> what, Filter<?>... filters) {
    Map<String, String> broken = new TreeMap<>();
    EngineExecutionResults results;
    try (CapturedLog log = new CapturedLog()) {
      results =
          EngineTestKit.engine("junit-jupiter")
              .selectors(what.toArray(DiscoverySelector[]::new))
              .filters(filters)
              .execute();
      Mistakes.requireNone(log);
    }
    if (results.allEvents().started().count() < 2) { // the engine itself is one
      throw new IllegalStateException("expected tests to run, got none of " + what);
    }
    results.allEvents().failed().stream()
        .forEach(failure -> {
          throwable(failure).ifPresent(Mistakes::requireNone);
          broken.merge(ruleOf(failure), reason(failure), SabotagedRun::join);
        });
    return broken;
  }

  /** How the names of the tests of a rule begin. */
  static String testsOf(String rule) {
    return "r" + rule.replace('.', '_') + "_";
  }

  /**
   * The tests whose names begin so, of the chapters nested in this class or in one above it; the
   * whole class, if all do. Named one by one, because to look through all of the kit takes many
   * times as long as to run a few tests of it.
   */
  static List<? extends DiscoverySelector> testsNamed(Class<?> kit, String prefix) {
    return prefix.isEmpty()
        ? List.of(selectClass(kit))
        : chapters(kit)
            .flatMap(chapter ->
                ReflectionSupport.findMethods(
                        chapter, method -> isNamed(method, prefix), HierarchyTraversalMode.TOP_DOWN)
                    .stream()
                    .map(method -> selectNestedMethod(List.of(kit), chapter, method)))
            .toList();
  }

  private static Stream<Class<?>> chapters(Class<?> kit) {
    return ReflectionSupport.findNestedClasses(
        kit, nested -> AnnotationSupport.isAnnotated(nested, Nested.class))
        .stream();
  }

  private static boolean isNamed(Method method, String prefix) {
    return method.getName().startsWith(prefix)
        && AnnotationSupport.isAnnotated(method, Testable.class);
  }

  private static String join(String one, String other) {
    return one + "\n" + other;
  }

  private static String ruleOf(Event event) {
    Matcher rule = RULE.matcher(event.getTestDescriptor().getUniqueId().toString());
    return rule.find() ? rule.group(1) + "." + rule.group(2) : event.toString();
  }

  private static Optional<Throwable> throwable(Event event) {
    return event.getPayload(TestExecutionResult.class).flatMap(TestExecutionResult::getThrowable);
  }

  private static String reason(Event event) {
    return throwable(event)
        .map(failure -> Objects.toString(failure.getMessage(), failure.toString()))
        .flatMap(text -> text.lines().findFirst())
        .orElse("");
  }
}
