package io.reactivetransfer.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.tools.ByteCount;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShapeTest {

  @Test
  void theDefaultsAreThoseOfALargeModel() {
    Shape shape = Shape.of(null, null, 32 * 1024);
    assertThat(shape).hasToString("61 layers x 256 pages of 32 KiB");
    assertThat(shape.bytes()).isEqualTo(61L * 256 * 32 * 1024);
    assertThat(shape.layout().pages()).isGreaterThan(256);
  }

  @ParameterizedTest
  @CsvSource({"0,1,1", "1,1,1", "32768,1,1", "32769,2,1", "100000000,61,51", "104857600,61,53"})
  void aFileGetsAsManyPagesAsItNeeds(long bytes, int layers, int pages) {
    assertThat(Shape.forFile(bytes, null, null, 32 * 1024))
        .isEqualTo(new Shape(layers, pages, 32 * 1024));
  }

  @Test
  void rowsAreHalfOfATokenAtPrefill() {
    Shape shape = new Shape(2, 8, 4096).inRows(16);
    assertThat(shape).hasToString("2 layers x 8 pages of 4 KiB in 16 rows");
    assertThat(shape.sourceLayout().bytes(0)).isEqualTo(2 * shape.layout().bytes(0));
    assertThat(shape.rowBytes()).isEqualTo(256);
    assertThatThrownBy(() -> new Shape(1, 1, 4096).inRows(3)).hasMessageContaining("--rows");
  }

  @Test
  void whatIsGivenIsKept() {
    assertThat(Shape.forFile(100_000, 2, null, 1000)).isEqualTo(new Shape(2, 50, 1000));
    assertThat(Shape.forFile(100_000, null, 30, 1000)).isEqualTo(new Shape(4, 30, 1000));
    assertThat(Shape.forFile(100_000, 10, 10, 1000)).isEqualTo(new Shape(10, 10, 1000));
    assertThatThrownBy(() -> Shape.forFile(100_001, 10, 10, 1000))
        .hasMessageContaining("does not fit");
  }

  @Test
  void aFileOfTooManyPagesIsToldToUseLargerOnes() {
    assertThatThrownBy(() -> Shape.forFile(1L << 40, null, null, 4096))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--page-size");
  }

  @ParameterizedTest
  @CsvSource({
    "1,1",
    "32768,32768",
    "32k,32768",
    "32KiB,32768",
    "32 KB,32768",
    "1MiB,1048576",
    "1g,1073741824"
  })
  void bytesAreReadAsPeopleWriteThem(String text, long bytes) {
    assertThat(ByteCount.of(text).bytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "1.5k", "k", "1x", "1 2"})
  void otherTextIsNoNumberOfBytes(String text) {
    assertThatThrownBy(() -> ByteCount.of(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
