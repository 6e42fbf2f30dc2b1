package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.launcher.TagFilter.excludeTags;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Proves that the rules can fail: each saboteur has one defect, and the kit, run on it, must find
 * that one rule broken and no other. A usual build runs the tests of that rule, up to the first
 * that fails; {@code -DsabotageAll=true} runs the whole kit on every saboteur, which takes more
 * than ten minutes.
 *
 * <p>Most of them only wait, so the build has several JVMs run a part of them each; within one they
 * come one after the other, because what Reactor drops is known for a whole JVM only.
 */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SabotageCheck {

  static final String ALL_PROPERTY = "reactivetransfer.tck.sabotage.all";
  static final boolean ALL = Boolean.getBoolean(ALL_PROPERTY);

  /** Most saboteurs cost one of these, and there are many; on an idle machine it is plenty. */
  private static final Duration SHORT = Duration.ofMillis(ALL ? 1_500 : 1_000);

  /** On a busy one, what took too long gets another chance: a rule that is broken stays so. */
  static final Duration LONG = Duration.ofSeconds(10);

  /** For who breaks no rule, and never waits as long as that if it is so. */
  static final Duration INNOCENT = Duration.ofSeconds(60);

  /** How often more; some rules look at what two threads do at a time, which they need not do. */
  private static final int TRIES = 3;

  /** For who works on some: what is found in their names. */
  private static final Pattern ONLY =
      Pattern.compile(System.getProperty("reactivetransfer.tck.sabotage.only", ""));

  private final List<Saboteur> part;

  SabotageCheck(List<Saboteur> part) {
    this.part = part;
  }

  List<Saboteur> saboteurs() {
    return part.stream().filter(each -> ONLY.matcher(each.toString()).find()).toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("saboteurs")
  void breaksItsRuleAndNoOther(Saboteur saboteur) {
    String prefix = ALL ? "" : SabotagedRun.testsOf(saboteur.rule());
    Map<String, String> broken = brokenRules(saboteur, SHORT, prefix);
    for (int i = 0; i < TRIES && !isAsExpected(saboteur, broken.keySet()); i++) {
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
  static boolean saysEnough(String rule, String line) {
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

  static Map<String, String> brokenRules(Saboteur saboteur, Duration signalTimeout, String prefix) {
    return SabotagedRun.brokenRules(
        new Sabotaged.Run(saboteur, signalTimeout, !ALL),
        SabotagedRun.testsNamed(Sabotaged.class, prefix),
        excludeTags(ReactiveStreamsRules.TAG));
  }
}
