package io.reactivetransfer.examples.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.weights.DataType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LayoutTest {

  @Test
  void isAxesAndAType() {
    Layout layout = Layout.of("--to", "pp=2,tp=3,dtype=fp8");
    assertThat(layout.ranks()).isEqualTo(6);
    assertThat(layout.type()).isEqualTo(DataType.FP8_E4M3);
    assertThat(Layout.of("--to", "tp=1").type()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "tp",
        "tp=",
        "tp=0",
        "tp=x",
        "ep=2",
        "tp=2,tp=2",
        "dtype=fp9",
        "tp=9,pp=8",
        ","
      })
  void anythingElseIsRefusedByTheNameOfTheOption(String text) {
    assertThatThrownBy(() -> Layout.of("--to", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected --to")
        .hasMessageContaining("got");
  }
}
