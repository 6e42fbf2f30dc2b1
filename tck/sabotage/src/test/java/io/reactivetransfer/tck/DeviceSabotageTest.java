package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Proves that the rules about devices can fail, as {@link SabotageCheck} does for the others; but
 * what never comes is waited for more briefly. In a usual build a saboteur is run on the tests of
 * its rule alone.
 */
// A usual build runs the kit; that it finds what is wrong is for whoever changes it, and for a
// merge.
@Tag("merge")
class DeviceSabotageTest {

  /** For what never comes; of all that comes, nothing takes as long even on a busy machine. */
  private static final Duration SHORT = Duration.ofMillis(1_500);

  static final List<DeviceSaboteur> SABOTEURS =
      Stream.of(DeviceSaboteurs.ALL, StagingSaboteurs.ALL).flatMap(List::stream).toList();

  static List<DeviceSaboteur> saboteurs() {
    return SABOTEURS;
  }

  private static Map<String, String> brokenRules(
      DeviceSaboteur saboteur, Duration timeout, String prefix) {
    SabotagedDevice.next(new SabotagedDevice.Run(saboteur, timeout));
    return SabotagedRun.brokenRules(SabotagedRun.testsNamed(SabotagedDevice.class, prefix));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("saboteurs")
  void breaksItsRuleAndNoOther(DeviceSaboteur saboteur) {
    String prefix = SabotageCheck.ALL ? "" : SabotagedRun.testsOf(saboteur.rule());
    Map<String, String> broken = brokenRules(saboteur, SHORT, prefix);
    if (!isAsExpected(saboteur, broken.keySet())) {
      broken = brokenRules(saboteur, SabotageCheck.LONG, prefix);
    }
    assertThat(isAsExpected(saboteur, broken.keySet())).as("broken: %s", broken).isTrue();
    assertThat(broken)
        .as("what each failure says in its first line")
        .allSatisfy((rule, lines) ->
            assertThat(lines.lines())
                .isNotEmpty()
                .allMatch(line -> SabotageCheck.saysEnough(rule, line)));
  }

  private static boolean isAsExpected(DeviceSaboteur saboteur, Set<String> broken) {
    return broken.contains(saboteur.rule())
        && broken.stream()
            .allMatch(rule -> rule.equals(saboteur.rule()) || saboteur.entailed().contains(rule));
  }

  @Test
  void withoutADefectNothingIsBroken() {
    DeviceSaboteur none = new DeviceSaboteur("none", "no defect", ForwardingAccess::new);
    assertThat(brokenRules(none, SabotageCheck.INNOCENT, "")).isEmpty();
  }
}
