package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.Hearing.Step;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HearingTest {

  private final Hearing hearing = new Hearing();

  private static Frame frame(int epoch, long number) {
    ByteBuffer content = ByteBuffer.allocate(8).putLong(0, number);
    return new Frame(
        Frame.Type.CONTROL, 1, new EngineId(1, 2), 3, epoch, number, new byte[] {4}, content);
  }

  private Step hear(int epoch, long number) {
    return hearing.hear(frame(epoch, number), 0);
  }

  /** The numbers whose turn has come. */
  private List<Long> next() {
    List<Long> numbers = new ArrayList<>();
    for (Frame frame = hearing.next(0); frame != null; frame = hearing.next(0)) {
      assertThat(frame.content().getLong(0)).as("content").isEqualTo(frame.number());
      numbers.add(frame.number());
    }
    return numbers;
  }

  @Test
  void framesAreTakenByTheirNumbers() {
    assertThat(hear(1, 0)).isEqualTo(Step.NEXT);
    assertThat(hear(1, 1)).isEqualTo(Step.NEXT);
    assertThat(hear(1, 1)).as("the same again").isEqualTo(Step.OUT_OF_STEP);
    assertThat(hear(1, 2)).isEqualTo(Step.NEXT);
    assertThat(next()).isEmpty();
  }

  @Test
  void whatIsEarlyWaitsForWhatIsMissing() {
    hear(1, 0);
    assertThat(hear(1, 3)).isEqualTo(Step.EARLY);
    assertThat(hear(1, 2)).isEqualTo(Step.EARLY);
    assertThat(next()).isEmpty();
    assertThat(hear(1, 1)).isEqualTo(Step.NEXT);
    assertThat(next()).containsExactly(2L, 3L);
    assertThat(hearing.hasGap()).isFalse();
    assertThat(hear(1, 4)).isEqualTo(Step.NEXT);
  }

  @Test
  void theFirstOfAnEpochMayComeSecond() {
    assertThat(hear(1, 1)).isEqualTo(Step.EARLY);
    assertThat(hear(1, 0)).isEqualTo(Step.NEXT);
    assertThat(next()).containsExactly(1L);
    assertThat(hear(2, 1)).isEqualTo(Step.EARLY);
    assertThat(hear(2, 0)).isEqualTo(Step.ANEW);
    hearing.begin(2);
    assertThat(next()).containsExactly(1L);
  }

  @Test
  void aGapIsTimedFromItsFirstFrame() {
    hear(1, 0);
    hearing.hear(frame(1, 2), 100);
    hearing.hear(frame(1, 3), 150);
    assertThat(hearing.gap(160)).isEqualTo(60);
    assertThat(hearing.earlyEpoch()).isEqualTo(1);
  }

  @Test
  void aGapIsNotTimedWhileNobodyLooks() {
    hear(1, 0);
    hearing.hear(frame(1, 2), 100);
    hearing.nobodyLookedFor(500, 700);
    assertThat(hearing.gap(710)).isEqualTo(110);
  }

  @Test
  void whatIsTooEarlyOrHasNoNumberIsOutOfStep() {
    hear(1, 0);
    assertThat(hear(1, 1_000_000)).isEqualTo(Step.OUT_OF_STEP);
    assertThat(hear(1, -1)).isEqualTo(Step.OUT_OF_STEP);
    assertThat(hear(2, Long.MAX_VALUE)).isEqualTo(Step.OUT_OF_STEP);
  }

  @Test
  void moreThanAThousandMayComeBeforeOneThatIsLong() {
    hear(1, 0);
    for (int number = 2; number < 2_000; number++) {
      assertThat(hear(1, number)).isEqualTo(Step.EARLY);
    }
    assertThat(hear(1, 1)).isEqualTo(Step.NEXT);
    assertThat(next()).hasSize(1_998);
  }

  @Test
  void whatIsKeptHasABound() {
    hear(1, 0);
    ByteBuffer content = ByteBuffer.allocate(1 << 20);
    int kept = 0;
    while (kept < 100 && hearing.hear(longFrame(2 + kept, content), 0) == Step.EARLY) {
      kept++;
    }
    assertThat(kept).as("MiB").isEqualTo(15);
    assertThat(hear(1, 1)).isEqualTo(Step.NEXT);
    for (int i = 0; i < kept; i++) {
      assertThat(hearing.next(0)).isNotNull();
    }
    assertThat(hearing.hear(longFrame(100, content), 0))
        .as("with room again")
        .isEqualTo(Step.EARLY);
  }

  private static Frame longFrame(long number, ByteBuffer content) {
    return new Frame(
        Frame.Type.CONTROL, 1, new EngineId(1, 2), 3, 1, number, new byte[] {4}, content);
  }

  @Test
  void aLaterEpochBeginsAnew() {
    hear(1, 0);
    assertThat(hear(3, 0)).isEqualTo(Step.ANEW);
    assertThat(hear(3, 1)).isEqualTo(Step.NEXT);
    assertThat(hear(2, 0)).as("an earlier one").isEqualTo(Step.OUT_OF_STEP);
    assertThat(hear(1, 1)).isEqualTo(Step.OUT_OF_STEP);
  }

  @Test
  void whoWasLostIsHeardAgainInItsNextEpochOnly() {
    hear(1, 0);
    hearing.stop();
    assertThat(hear(1, 1)).isEqualTo(Step.OUT_OF_STEP);
    assertThat(hear(1, 0)).isEqualTo(Step.OUT_OF_STEP);
    assertThat(hear(1, -1)).as("no number at all").isEqualTo(Step.OUT_OF_STEP);
    assertThat(hear(2, 0)).as("the answer to having begun anew").isEqualTo(Step.NEXT);
  }
}
