package io.reactivetransfer.weights.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.weights.CodecSaboteur;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bytes of any kind are read as what they say, or refused. */
@Timeout(7_200)
class SumCodecFuzzTest {

  @Test
  void messages() {
    Fuzz.run(Target.WEIGHTS_CHECKSUMS, in -> message(in, CodecSaboteur.NONE));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void findsAMistake(CodecSaboteur codec) {
    assertThat(Fuzz.firstFailure(Target.WEIGHTS_CHECKSUMS, 1, 0, 500, in -> message(in, codec)))
        .isPresent();
  }

  private static void message(Input in, CodecSaboteur codec) {
    byte[] original = SumCodecTest.bytes(in.oneOf(SumCodecTest.MESSAGES));
    byte[] mutated = Mutation.some(in, original);
    byte[] bytes = in.chance(85) ? SumCodecTest.sealed(mutated) : mutated;
    in.note(() -> HexFormat.of().formatHex(bytes));
    SumMessage read;
    try {
      read = codec.decode(bytes, SumCodecTest::decode);
    } catch (IllegalArgumentException e) {
      assertThat(Arrays.equals(bytes, original)).as("refuses what was written: %s", e).isFalse();
      assertThat(e).hasMessageStartingWith("not a message of weights: ");
      return;
    }
    assertThat(SumCodecTest.bytes(read)).as("written again").isEqualTo(bytes);
  }
}
