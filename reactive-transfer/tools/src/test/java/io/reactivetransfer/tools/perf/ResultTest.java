package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ResultTest {

  private static List<RunFigures> rounds(long... operations) {
    return LongStream.of(operations)
        .mapToObj(each -> new RunFigures(each, 1_000_000_000, 1, 2, 3, Usage.NONE, 0))
        .toList();
  }

  /** Ours is always 0.9 of the reference; the machine is three times slower in some rounds. */
  @Test
  void theRatioIsThatOfRoundsSideBySide() {
    Plan plan = Plans.small("libfabric", Op.WRITE_IMM, Signals.NIC);
    Layout layout = Layout.of(plan, 8);
    List<RunFigures> ours = rounds(900, 900, 900, 300, 300);
    List<RunFigures> references = rounds(1_000, 1_000, 1_000, 333, 333);
    assertThat(Result.of(plan, layout, ours, references, List.of()).ratio())
        .isCloseTo(0.9, within(0.001));

    // the machine slows down between ours and the reference
    references = rounds(1_000, 1_000, 333, 333, 333);
    assertThat(Result.of(plan, layout, ours, references, List.of()).ratio())
        .isCloseTo(0.9, within(0.001));
  }

  @Test
  void withoutAReferenceThereIsNone() {
    Plan plan = Plans.small("libfabric", Op.WRITE_IMM, Signals.NIC);
    Result result = Result.of(plan, Layout.of(plan, 8), rounds(900), List.of(), List.of());
    assertThat(result.ratio()).isZero();
    assertThat(result.reference()).isNull();
  }
}
