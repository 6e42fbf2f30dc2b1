package io.reactivetransfer.tools.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.tools.soak.Saboteur.Defect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Both sides in this process: for half a second, or until a defect shows. Each night it is 1.5 s,
 * and a second more for what never comes: on a busy machine what is only late looks the same.
 */
// A usual build measures by PerfTest, and for a moment only.
@Tag("merge")
class SoakTest {

  private static final boolean IS_NIGHT = Integer.getInteger("reactivetransfer.rounds", 1) > 1;

  private static final Set<String> WHAT_HAPPENS =
      Set.of("rounds", "transfers", "messages", "barriers", "engines");

  private final List<String> lines = new ArrayList<>();

  private void run(Plan plan, Host.Opener second) throws InterruptedException {
    try (Side one = new Host(plan, 0, nics -> Engines.open(plan, nics));
        Side two = new Host(plan, 1, second)) {
      new Soak(plan, List.of(one, two), lines::add).run();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void everythingHappensAndNothingIsWrong(String backend) throws InterruptedException {
    Set<String> missing = whatDoesNotHappenIn(backend, Duration.ofMillis(IS_NIGHT ? 1_500 : 500));
    // A busy machine does little in that time.
    for (int seconds = 3; !missing.isEmpty() && seconds <= 24; seconds *= 2) {
      missing = whatDoesNotHappenIn(backend, Duration.ofSeconds(seconds));
    }
    assertThat(missing).isEmpty();
  }

  private Set<String> whatDoesNotHappenIn(String backend, Duration time)
      throws InterruptedException {
    Plan plan = Plans.of(backend, 1, time, Duration.ofSeconds(20));
    lines.clear();
    run(plan, nics -> Engines.open(plan, nics));
    assertThat(lines).hasSize(3);
    String[] columns = lines.get(0).strip().split(" {2,}| (?!MiB)");
    String[] row = lines.get(1).strip().split(" +");
    assertThat(row).hasSameSizeAs(columns);
    Set<String> missing = new TreeSet<>(WHAT_HAPPENS);
    for (int i = 0; i < row.length; i++) {
      if (!row[i].equals("0")) {
        missing.remove(columns[i]);
      }
    }
    return missing;
  }

  @ParameterizedTest
  @EnumSource
  void aDefectIsFound(Defect defect) {
    boolean isWaitedFor =
        EnumSet.of(Defect.LOST_ANSWER, Defect.LOST_ARRIVAL, Defect.OPEN_BARRIER).contains(defect);
    // What does come may take long on a busy machine, and then another failure would be the first.
    int lost = IS_NIGHT ? 2 : 1;
    Duration limit = Duration.ofSeconds(isWaitedFor ? lost : 30);
    Plan plan = Plans.of("loopback", 2, Duration.ofSeconds(60), limit);
    assertThatThrownBy(() -> run(plan, nics -> Saboteur.of(Engines.open(plan, nics), defect)))
        .isInstanceOf(SoakFailure.class)
        .hasMessageMatching(
            switch (defect) {
              case WRONG_BYTE -> // of a page, of one that was revoked, or of a barrier's word
                  ".*expected (byte .* of page .* to be 0x.*, got 0x.*seed 2|no byte to change"
                      + " after revoke|what the other wrote).*";
              case LOST_ANSWER, LOST_ARRIVAL ->
                  ".*expected .* to end within " + lost + " s, got no answer.*";
              default -> ".*expected .*, got .*";
            });
  }

  @Test
  void growthIsFound() {
    Flatness flatness = new Flatness();
    for (int minute = 0; minute < Flatness.MIN_MINUTES; minute++) {
      flatness.add(minute, Sample.of("files=" + 100 * minute + " heap=5 rss=6 threads=7"));
    }
    assertThat(flatness.growth())
        .contains("files of at most 116 after 100 in the first 2 minutes", "got 300")
        .doesNotContain("rss");
  }

  @Test
  void whatIsUsedInTheFirstMinuteIsNotGrowth() {
    Flatness flatness = new Flatness();
    for (int minute = 0; minute < Flatness.MIN_MINUTES; minute++) {
      flatness.add(minute, Sample.of("files=" + Math.min(100, 100 * minute) + " heap=5"));
    }
    assertThat(flatness.growth()).isNull();
  }

  /** What is kept for use again grows until it is enough. */
  @Test
  void whatIsUsedInTheFirstSixthIsNotGrowth() {
    Flatness flatness = new Flatness();
    for (int minute = 0; minute < 60; minute++) {
      flatness.add(minute, Sample.of("files=" + Math.min(90, 10 * minute) + " heap=5"));
    }
    assertThat(flatness.growth()).isNull();
    flatness.add(60, Sample.of("files=150 heap=5"));
    assertThat(flatness.growth()).contains("after 90 in the first 10 minutes", "got 150");
  }
}
