package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Which chapters of the kit run where only some are asked for. */
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class ChaptersTest {

  /** Not a test by itself, nor are the others here: they are run by what is below. */
  @ExtendWith(NoTests.class)
  @Chapters({"Placement", "Watch"})
  static class Two extends TransferConformance {
    @Override
    protected Backend backend() {
      return new LoopbackBackend();
    }
  }

  static class TwoToo extends Two {}

  @Chapters(
      value = {"Placement", "Watch"},
      except = "Placement")
  static class TheOther extends Two {}

  @Chapters(except = {"Placement", "Placements"})
  static class MisspeltException extends Two {}

  @Chapters(value = "Placement", unlessAll = true)
  static class OneToSaveTime extends Two {}

  @Chapters({"Placement", "Placements"})
  static class Misspelt extends Two {}

  /** Which chapters would run is seen without their tests. */
  static final class NoTests implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return context.getTestMethod().isPresent()
          ? ConditionEvaluationResult.disabled("a test")
          : ConditionEvaluationResult.enabled("a chapter");
    }
  }

  private static EngineExecutionResults run(Class<?> kit, boolean all) {
    String before = System.setProperty(Chapters.ALL, String.valueOf(all));
    try {
      return EngineTestKit.engine("junit-jupiter").selectors(selectClass(kit)).execute();
    } finally {
      System.setProperty(Chapters.ALL, before == null ? "false" : before);
    }
  }

  private static Set<String> chaptersThatRan(EngineExecutionResults results) {
    return results.containerEvents().started().stream()
        .map(event -> event.getTestDescriptor().getUniqueId().getLastSegment())
        .filter(segment -> segment.getType().equals("nested-class"))
        .map(segment -> segment.getValue())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void onlyTheseRun() {
    assertThat(chaptersThatRan(run(Two.class, true))).containsExactly("Placement", "Watch");
    assertThat(chaptersThatRan(run(TwoToo.class, false))).containsExactly("Placement", "Watch");
    assertThat(chaptersThatRan(run(TheOther.class, false))).containsExactly("Watch");
  }

  @Test
  void theOthersRunAsWellWhereAllAreAskedFor() {
    assertThat(chaptersThatRan(run(OneToSaveTime.class, false))).containsExactly("Placement");
    assertThat(chaptersThatRan(run(OneToSaveTime.class, true)))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(TransferConformance.class.getDeclaredClasses())
                .map(Class::getSimpleName)
                .toList());
  }

  @ParameterizedTest
  @ValueSource(classes = {Misspelt.class, MisspeltException.class})
  void aChapterThatTheKitDoesNotHaveFails(Class<?> misspelt) {
    EngineExecutionResults results = run(misspelt, false);
    results.testEvents().assertStatistics(tests -> tests.started(0));
    assertThat(results.containerEvents().failed().stream().map(ChaptersTest::message))
        .isNotEmpty()
        .allSatisfy(message -> assertThat(message).contains("Placements"));
  }

  private static String message(Event failure) {
    Throwable thrown =
        failure.getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow();
    return thrown.getCause() == null
        ? String.valueOf(thrown.getMessage())
        : thrown.getMessage() + " " + thrown.getCause().getMessage();
  }
}
