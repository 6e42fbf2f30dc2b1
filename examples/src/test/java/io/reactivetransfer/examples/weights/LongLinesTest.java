package io.reactivetransfer.examples.weights;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.weights.Moment.What;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is too much for one line between processes goes on several. */
class LongLinesTest {

  private static final int MOST_BYTES = 65_000;

  private static void requireShort(String line) {
    assertThat(line.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(MOST_BYTES);
  }

  @Test
  void sumsOfManyTensors() {
    List<Integer> sums = IntStream.range(0, 20_001).mapToObj(i -> -i).toList();
    List<String> lines = TensorSums.toLines(sums);
    lines.forEach(LongLinesTest::requireShort);
    assertThat(lines.stream().flatMap(line -> TensorSums.of(line).stream()).toList())
        .isEqualTo(sums);
    assertThat(TensorSums.toLines(List.of())).isEmpty();
  }

  @Test
  void momentsOfManyPrepares() {
    List<Moment> all =
        IntStream.range(0, 3_001).mapToObj(i -> Moment.now(What.HANDED_OVER)).toList();
    List<Moment> left = new ArrayList<>(all);
    List<Moment> told = new ArrayList<>();
    String line;
    while (!(line = Moment.take(left)).isEmpty()) {
      requireShort(line);
      told.addAll(Moment.of(line));
    }
    assertThat(told).isEqualTo(all);
    assertThat(left).isEmpty();
  }
}
