package io.reactivetransfer.weights.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns become rows, whatever their number is and wherever they lie. */
class TransposerTest {

  private final Transposer transposer = new Transposer();
  private final Walk walk = new Walk();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void eachElementComesToItsPlaceAndNothingElseIsWritten(int width) {
    Random random = new Random(width);
    for (int round = 0; round < 300; round++) {
      int rows = 2 + random.nextInt(round % 10 == 0 ? 200 : 20);
      int columns = 2 + random.nextInt(round % 10 == 0 ? 150 : 20);
      int sourcePitch = rows + 1 + random.nextInt(3);
      int targetPitch = columns + random.nextInt(3);
      byte[] source = new byte[columns * sourcePitch * width + 8];
      random.nextBytes(source);
      byte[] target = new byte[rows * targetPitch * width + 8];
      random.nextBytes(target);
      byte[] expected = target.clone();
      int offset = random.nextInt(8);
      for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
          int from = offset + (column * sourcePitch + row) * width;
          System.arraycopy(source, from, expected, (row * targetPitch + column) * width, width);
        }
      }
      walk.begin(0, 0);
      walk.dimension(rows, 1, targetPitch);
      walk.dimension(columns, sourcePitch, 1);
      walk.start(random.nextBoolean() ? 100 : 1_000, 1 + random.nextInt(Transposer.CAPACITY));
      assertThat(walk.isTransposed()).isTrue();
      MemorySegment to = MemorySegment.ofArray(target);
      while (walk.next()) {
        long at = walk.targetElement * width;
        long pitch = (long) targetPitch * width;
        transposer.move(width, MemorySegment.ofArray(source), offset, walk, to, at, pitch);
      }
      assertThat(target).as("%s rows, %s columns", rows, columns).isEqualTo(expected);
    }
  }
}
