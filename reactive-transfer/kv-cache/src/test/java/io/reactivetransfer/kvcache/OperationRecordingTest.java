package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of one operation is told in order, whatever order it happens in. */
class OperationRecordingTest {

  private final List<String> told = new ArrayList<>();
  private final OperationRecording<List<String>> recording =
      new OperationRecording<>(new RecorderGuard(), new ArrayList<>());

  @Test
  void theSecondIsToldBehindTheFirstThatCameLater() {
    recording.second(recorder -> recorder.add("second"));
    recording.begins(told);
    assertThat(told).isEmpty();
    recording.first(recorder -> recorder.add("first"));
    assertThat(told).containsExactly("first", "second");
  }

  @Test
  void theSecondIsToldAtOnceBehindTheFirst() {
    recording.begins(told);
    recording.first(recorder -> recorder.add("first"));
    assertThat(told).containsExactly("first");
    recording.second(recorder -> recorder.add("second"));
    assertThat(told).containsExactly("first", "second");
  }

  @Test
  void whatTheFirstThrowsKeepsNobodyFromTheSecond() {
    recording.begins(told);
    recording.second(recorder -> recorder.add("second"));
    recording.first(recorder -> {
      throw new NoClassDefFoundError("thrown by a test");
    });
    assertThat(told).containsExactly("second");
  }
}
