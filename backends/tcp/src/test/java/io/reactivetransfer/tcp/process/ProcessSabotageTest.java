package io.reactivetransfer.tcp.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.ProcessConformance;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.process.EngineProcess;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/**
 * Proves that the rules about processes can fail, on a backend that reaches processes: for each
 * there is one with a defect, in both processes. Each is run on its own rule only, since the rules
 * build on one another: who is never found to be lost never comes back.
 */
// A usual build runs the rules about processes; that they find what is wrong is shown before a
// merge.
@Tag("merge")
@Execution(ExecutionMode.CONCURRENT)
class ProcessSabotageTest {

  /** The kit as it runs on a saboteur; not a test by itself. */
  static class Sabotaged extends ProcessConformance {

    /** Of the runs of this thread; several go on at once. */
    private static final ThreadLocal<Class<? extends Supplier<Backend>>> SABOTEUR =
        new ThreadLocal<>();

    @Override
    protected Class<? extends Supplier<Backend>> backend() {
      return SABOTEUR.get();
    }

    @Override
    protected Profile profile() {
      return Profile.defaults()
          .withSignalTimeout(Duration.ofSeconds(6))
          .withSilence(Duration.ofMillis(500)); // what lands too late may need a while
    }
  }

  /**
   * What a usual build shows to be found: a death, a standstill, and who holds others for lost
   * because it stood still itself. Each takes a process or two; what lands too late and who is cut
   * off are found each night.
   */
  private static final Set<String> USUAL = Set.of("25.1", "25.2", "25.9");

  /**
   * All tests of all rules with {@code -DsabotageAll=true}, as a nightly build has it, and in a
   * usual one the first test of each of some rules.
   */
  static Stream<Method> rules() {
    boolean all = Boolean.getBoolean("reactivetransfer.tck.sabotage.all");
    Set<String> seen = new HashSet<>();
    return ReflectionSupport.findMethods(
            ProcessConformance.class,
            method -> method.isAnnotationPresent(Test.class),
            HierarchyTraversalMode.TOP_DOWN)
        .stream()
        .sorted(Comparator.comparing(Method::getName))
        .filter(rule -> all || (USUAL.contains(numberOf(rule)) && seen.add(numberOf(rule))));
  }

  /** Such as 25.1. */
  private static String numberOf(Method rule) {
    return rule.getName().replaceAll("r(\\d+)_(\\d+)_.*", "$1.$2");
  }

  static Stream<Method> rulesThatStopOthersOnly() {
    return rules().filter(rule -> !stopsThisProcess(rule));
  }

  /** Nothing else can go on in this process meanwhile, so it has a test class of its own. */
  static boolean stopsThisProcess(Method rule) {
    return rule.getName().startsWith("r25_9_");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rulesThatStopOthersOnly")
  void aRuleFindsItsSaboteur(Method rule) {
    assertFound(rule);
  }

  /** Something is not as expected, or another process has refused what it was asked for. */
  private static boolean isFinding(Throwable thrown) {
    return thrown instanceof AssertionError
        || thrown instanceof EngineProcess.Refused
        || (thrown instanceof CompletionException && isFinding(thrown.getCause()));
  }

  static void assertFound(Method rule) {
    Class<? extends Supplier<Backend>> saboteur = ProcessSaboteurs.ALL.get(numberOf(rule));
    assertThat(saboteur).as("saboteur of %s", rule.getName()).isNotNull();
    Sabotaged.SABOTEUR.set(saboteur);
    Events tests =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectMethod(Sabotaged.class, rule))
            .execute()
            .testEvents();
    tests.assertStatistics(each -> each.started(1).finished(1));
    // What else may go wrong in a test is no proof that it looks at what it is about.
    tests
        .failed()
        .assertThatEvents()
        .as("failures of %s with %s", rule.getName(), saboteur.getSimpleName())
        .hasSize(1)
        .haveExactly(
            1,
            finishedWithFailure(
                new Condition<>(
                    told ->
                        told.getMessage().startsWith(numberOf(rule) + " ")
                            && isFinding(told.getCause()),
                    "what a rule finds, told with its number")));
  }
}
