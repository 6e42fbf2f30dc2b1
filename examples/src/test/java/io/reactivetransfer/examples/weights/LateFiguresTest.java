package io.reactivetransfer.examples.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Figures of trainers are told apart by their place. */
class LateFiguresTest {

  private static final String LINE = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16";

  @Test
  void whoIsLateIsNamed() throws IOException {
    assertThat(TrainerFigures.ofAll(List.of(LINE, LINE)))
        .hasSize(2)
        .allMatch(figures -> figures.elapsedNanos() == 16);
    assertThatThrownBy(() -> TrainerFigures.ofAll(List.of(LINE, "", LINE)))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("trainer-1 ");
  }
}
