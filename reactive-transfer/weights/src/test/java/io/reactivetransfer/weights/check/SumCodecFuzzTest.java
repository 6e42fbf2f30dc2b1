package io.reactivetransfer.weights.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes of any kind are read as what they say, or refused. */
@Timeout(7_200)
class SumCodecFuzzTest {

  @Test
  void messages() {
    Fuzz.run(Target.WEIGHTS_CHECKSUMS, SumCodecFuzzTest::message);
  }

  private static void message(Input in) {
    byte[] original = SumCodecTest.bytes(in.oneOf(SumCodecTest.MESSAGES));
    byte[] mutated = Mutation.some(in, original);
    byte[] bytes = in.chance(85) ? SumCodecTest.sealed(mutated) : mutated;
    in.note(() -> HexFormat.of().formatHex(bytes));
    SumMessage read;
    try {
      read = SumCodecTest.decode(bytes);
    } catch (IllegalArgumentException e) {
      assertThat(Arrays.equals(bytes, original)).as("refuses what was written: %s", e).isFalse();
      assertThat(e).hasMessageStartingWith("not a message of weights: ");
      return;
    }
    assertThat(SumCodecTest.bytes(read)).as("written again").isEqualTo(bytes);
  }
}
