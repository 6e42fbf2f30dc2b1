package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.TagFilter.excludeTags;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/**
 * Proves that the rules can fail: each saboteur has one defect, and the whole kit, run on it, must
 * find that one rule broken and no other.
 */
class SabotageTest {

  private static final Pattern RULE = Pattern.compile("\\br(\\d+)_(\\d+)_");

  static List<Saboteur> saboteurs() {
    return Saboteurs.ALL;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("saboteurs")
  void breaksItsRuleAndNoOther(Saboteur saboteur) {
    Map<String, String> broken = brokenRules(saboteur);
    assertThat(broken.keySet()).as("broken: %s", broken).containsExactly(saboteur.rule());
  }

  @Test
  void withoutASaboteurNothingIsBroken() {
    Saboteur none = Saboteur.backend("none", "no defect", inner -> inner);
    assertThat(brokenRules(none)).isEmpty();
  }

  /** Runs the kit on a saboteur; what failed, by rule. */
  private static Map<String, String> brokenRules(Saboteur saboteur) {
    Sabotaged.saboteur = saboteur;
    try {
      Stream<Event> failures =
          EngineTestKit.engine("junit-jupiter")
              .selectors(selectClass(Sabotaged.class))
              .filters(excludeTags(ReactiveStreamsRules.TAG))
              .execute()
              .allEvents()
              .failed()
              .stream();
      Map<String, String> broken = new TreeMap<>();
      failures.forEach(failure -> broken.merge(ruleOf(failure), reason(failure), String::concat));
      return broken;
    } finally {
      Sabotaged.saboteur = null;
    }
  }

  private static String ruleOf(Event event) {
    Matcher rule = RULE.matcher(event.getTestDescriptor().getUniqueId().toString());
    return rule.find() ? rule.group(1) + "." + rule.group(2) : event.toString();
  }

  private static String reason(Event event) {
    return event
        .getPayload(TestExecutionResult.class)
        .flatMap(TestExecutionResult::getThrowable)
        .map(Throwable::toString)
        .orElse("");
  }
}
