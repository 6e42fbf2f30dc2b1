package io.reactivetransfer.tck;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.Filter;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Runs the kit on a saboteur. */
final class SabotagedRun {

  private static final Pattern RULE = Pattern.compile("\\br(\\d+)_(\\d+)_");

  private SabotagedRun() {}

  /** Which rules it broke, and how: the first line of each failure, one below the other. */
  static Map<String, String> brokenRules(
      Saboteur saboteur, Duration signalTimeout, DiscoverySelector what, Filter<?>... filters) {
    return brokenRules(new Sabotaged.Run(saboteur, signalTimeout, false), what, filters);
  }

  /** The same of a run that perhaps ends with the first failure. */
  static Map<String, String> brokenRules(
      Sabotaged.Run run, DiscoverySelector what, Filter<?>... filters) {
    Sabotaged.next(run);
    return brokenRules(what, filters);
  }

  /** The same of what runs on a saboteur by now. */
  static Map<String, String> brokenRules(DiscoverySelector what, Filter<?>... filters) {
    Map<String, String> broken = new TreeMap<>();
    EngineTestKit.engine("junit-jupiter")
        .selectors(what)
        .filters(filters)
        .execute()
        .allEvents()
        .failed()
        .stream()
        .forEach(failure -> broken.merge(ruleOf(failure), reason(failure), SabotagedRun::join));
    return broken;
  }

  /** How the names of the tests of a rule begin. */
  static String testsOf(String rule) {
    return "r" + rule.replace('.', '_') + "_";
  }

  /** Leaves out the tests whose names begin otherwise. */
  static PostDiscoveryFilter testsNamed(String prefix) {
    return test ->
        FilterResult.includedIf(
            test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> ((MethodSource) source).getMethodName().startsWith(prefix))
                .orElse(true));
  }

  private static String join(String one, String other) {
    return one + "\n" + other;
  }

  private static String ruleOf(Event event) {
    Matcher rule = RULE.matcher(event.getTestDescriptor().getUniqueId().toString());
    return rule.find() ? rule.group(1) + "." + rule.group(2) : event.toString();
  }

  private static String reason(Event event) {
    return event
        .getPayload(TestExecutionResult.class)
        .flatMap(TestExecutionResult::getThrowable)
        .map(failure -> Objects.toString(failure.getMessage(), failure.toString()))
        .flatMap(text -> text.lines().findFirst())
        .orElse("");
  }
}
