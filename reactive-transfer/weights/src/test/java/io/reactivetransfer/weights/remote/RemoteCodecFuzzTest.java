package io.reactivetransfer.weights.remote;

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
class RemoteCodecFuzzTest {

  @Test
  void messages() {
    Fuzz.run(Target.WEIGHTS_TRAINERS, in -> message(in, CodecSaboteur.NONE));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void findsAMistake(CodecSaboteur codec) {
    assertThat(Fuzz.firstFailure(Target.WEIGHTS_TRAINERS, 1, 0, 500, in -> message(in, codec)))
        .isPresent();
  }

  private static void message(Input in, CodecSaboteur codec) {
    RemoteMessage original = in.oneOf(RemoteCodecTest.MESSAGES);
    byte[] mutated = Mutation.some(in, RemoteCodecTest.bytes(original));
    byte[] bytes = in.chance(85) ? RemoteCodecTest.sealed(mutated) : mutated;
    in.note(() -> HexFormat.of().formatHex(bytes));
    RemoteMessage read;
    try {
      read = codec.decode(bytes, some -> RemoteCodecTest.decode(original, some));
    } catch (IllegalArgumentException e) {
      assertThat(Arrays.equals(bytes, RemoteCodecTest.bytes(original)))
          .as("refuses what was written")
          .isFalse();
      assertThat(e).hasMessageStartingWith("not a message of weights: ");
      return;
    }
    assertThat(RemoteCodecTest.bytes(read)).as("written again").isEqualTo(bytes);
  }
}
