package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FloatTypeTest {

  private static float through(FloatType type, float value) {
    MemorySegment memory = MemorySegment.ofArray(new byte[5]);
    type.set(memory, 1, value);
    return type.get(memory, 1);
  }

  @Test
  void bf16RoundsToTheNearestAndTiesToEven() {
    assertThat(through(FloatType.BF16, 1.0f + 1f / 256)).isEqualTo(1.0f);
    assertThat(through(FloatType.BF16, 1.0f + 3f / 256)).isEqualTo(1.0f + 4f / 256);
    assertThat(through(FloatType.BF16, 1.0f + 1f / 256 + 1f / 4096)).isEqualTo(1.0f + 1f / 128);
    assertThat(through(FloatType.BF16, Float.MAX_VALUE)).isEqualTo(Float.POSITIVE_INFINITY);
    assertThat(through(FloatType.BF16, -0.0f)).isEqualTo(-0.0f);
  }

  @ParameterizedTest
  @EnumSource
  void whatIsNoNumberStaysSo(FloatType type) {
    assertThat(through(type, Float.intBitsToFloat(0x7f80_0001))).isNaN();
    assertThat(through(type, Float.NEGATIVE_INFINITY)).isEqualTo(Float.NEGATIVE_INFINITY);
  }

  @ParameterizedTest
  @EnumSource
  void smallNumbersAreExact(FloatType type) {
    for (int i = -128; i <= 128; i++) {
      assertThat(through(type, i / 8f)).isEqualTo(i / 8f);
    }
  }
}
