package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.TagFilter.excludeTags;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Proves that the rules can fail: each saboteur has one defect, and the kit, run on it, must find
 * that one rule broken and no other. A usual build runs the chapter of that rule; {@code
 * -DsabotageAll=true} runs the whole kit on every saboteur, which takes more than ten minutes. One
 * after the other, though most of them only wait: beside others some need more than their time.
 */
@Timeout(300)
class SabotageTest {

  static final boolean ALL = Boolean.getBoolean("reactivetransfer.tck.sabotage.all");

  /** Most saboteurs cost one of these, and there are many; on an idle machine it is plenty. */
  private static final Duration SHORT = Duration.ofMillis(1_500);

  /** On a busy one, what took too long gets another chance: a rule that is broken stays so. */
  static final Duration LONG = Duration.ofSeconds(10);

  /** For who works on some: what is found in their names. */
  private static final Pattern ONLY =
      Pattern.compile(System.getProperty("reactivetransfer.tck.sabotage.only", ""));

  static List<Saboteur> saboteurs() {
    return Saboteurs.ALL.stream().filter(each -> ONLY.matcher(each.toString()).find()).toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("saboteurs")
  void breaksItsRuleAndNoOther(Saboteur saboteur) {
    String prefix = ALL ? "" : SabotagedRun.chapterOf(saboteur);
    Map<String, String> broken = brokenRules(saboteur, SHORT, prefix);
    if (!isAsExpected(saboteur, broken.keySet())) {
      broken = brokenRules(saboteur, LONG, prefix);
    }
    if (ALL) {
      // A run of an hour that says nothing until its end cannot be told from one that hangs.
      System.out.println("sabotage: " + saboteur + " broke " + broken.keySet());
    }
    assertThat(isAsExpected(saboteur, broken.keySet())).as("broken: %s", broken).isTrue();
    assertThat(broken)
        .as("what each failure says in its first line")
        .allSatisfy((rule, lines) ->
            assertThat(lines.lines()).isNotEmpty().allMatch(line -> saysEnough(rule, line)));
  }

  /** Which rule, and what was expected, in one line that fits into a summary. */
  private static boolean saysEnough(String rule, String line) {
    return line.startsWith(rule + " ")
        && line.toLowerCase(Locale.ROOT).contains("expect")
        && line.length() <= FailureText.MAX_LENGTH;
  }

  /** Its rule is broken, and none that has nothing to do with it. */
  private static boolean isAsExpected(Saboteur saboteur, Set<String> broken) {
    return broken.contains(saboteur.rule())
        && broken.stream()
            .allMatch(rule -> rule.equals(saboteur.rule()) || saboteur.entailed().contains(rule));
  }

  @Test
  void withoutASaboteurNothingIsBroken() {
    assertThat(brokenRules(Saboteur.NONE, LONG, "")).isEmpty();
  }

  @Test
  void aNicWithDescriptorsOrALoopBreaksNothing() {
    assertThat(brokenRules(WaitSaboteurs.NONE_WITH_DESCRIPTORS, LONG, "r17_")).isEmpty();
    assertThat(brokenRules(WaitSaboteurs.NONE_WITH_LOOP, LONG, "r17_")).isEmpty();
  }

  @Test
  void aNicThatTakesLongWritesBreaksNothing() {
    assertThat(brokenRules(SizeSaboteurs.NONE_WITH_LONG_WRITES, LONG, "r24_1_")).isEmpty();
  }

  private static Map<String, String> brokenRules(
      Saboteur saboteur, Duration signalTimeout, String prefix) {
    return SabotagedRun.brokenRules(
        saboteur,
        signalTimeout,
        selectClass(Sabotaged.class),
        excludeTags(ReactiveStreamsRules.TAG),
        SabotagedRun.testsNamed(prefix));
  }
}
