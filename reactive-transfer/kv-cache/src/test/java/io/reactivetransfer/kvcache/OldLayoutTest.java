package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OldLayoutTest {

  @Test
  void pagesTileTheMemoryWithoutGapOrOverlap() {
    OldLayout layout = new OldLayout(5, 7, 96);
    Set<Long> offsets = new HashSet<>();
    for (int layer = 0; layer < layout.layers(); layer++) {
      for (int page = 0; page < layout.poolPages(); page++) {
        offsets.add(layout.offset(layer, page));
      }
    }
    assertThat(offsets).hasSize(35).allMatch(offset -> offset % 96 == 0).contains(0L, 34 * 96L);
    assertThat(layout.bytes()).isEqualTo(35 * 96);
    assertThat(layout.offset(3)).isEqualTo(layout.offset(3, 0)).isEqualTo(3 * layout.layerBytes());
  }

  @Test
  void sizesAboveTwoGibibytesDoNotOverflow() {
    OldLayout layout = new OldLayout(61, 1 << 20, 32 * 1024);
    assertThat(layout.bytes()).isEqualTo(61L << 35);
    assertThat(layout.offset(60, (1 << 20) - 1)).isEqualTo(layout.bytes() - 32 * 1024);
  }

  @Test
  void countsEachPageOfEachLayerAndTheTail() {
    assertThat(new OldLayout(61, 300, 1).arrivals(256)).isEqualTo(61 * 256 + 1);
  }

  @ParameterizedTest
  @CsvSource({"0,1,1", "1,0,1", "1,1,0", "-1,1,1", "1,-1,1", "1,1,-1"})
  void refusesWhatIsNotPositive(int layers, int pages, long bytes) {
    assertThatThrownBy(() -> new OldLayout(layers, pages, bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected 1 or more");
  }

  @Test
  void refusesWhatCannotBeAddressed() {
    assertThatThrownBy(() -> new OldLayout(Integer.MAX_VALUE, Integer.MAX_VALUE, 1L << 33))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("less than 2^63");
  }

  @ParameterizedTest
  @CsvSource({"-1,0", "2,0", "0,-1", "0,3"})
  void refusesLayersAndPagesThatAreNotThere(int layer, int page) {
    assertThatThrownBy(() -> new OldLayout(2, 3, 8).offset(layer, page))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
