package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class TallyTest {

  private final Tally tally = new Tally(Long.MAX_VALUE / 2);

  @Test
  void itsFiguresSurviveTheWayToAnotherProcess() throws Exception {
    tally.done(1_000);
    tally.done(5_000);
    tally.ended(null);
    tally.await(done -> {});
    RunFigures figures = tally.figures(new Usage(3, 4), -5);
    assertThat(figures.operations()).isEqualTo(2);
    assertThat(figures.p50Nanos()).isEqualTo(1_000);
    assertThat(RunFigures.of(figures.toLine())).isEqualTo(figures);
  }

  @Test
  void aFailureEndsTheWaiting() {
    tally.ended(new IOException("gone"));
    assertThatThrownBy(() -> tally.await(done -> {})).isInstanceOf(IOException.class);
  }

  @Test
  void noLatencyIsTooLongToCount() {
    tally.done(Long.MAX_VALUE);
    assertThat(tally.operations()).isEqualTo(1);
  }
}
