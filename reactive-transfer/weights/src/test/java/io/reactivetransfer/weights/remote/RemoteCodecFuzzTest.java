package io.reactivetransfer.weights.remote;

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
class RemoteCodecFuzzTest {

  @Test
  void messages() {
    Fuzz.run(Target.WEIGHTS_TRAINERS, RemoteCodecFuzzTest::message);
  }

  private static void message(Input in) {
    RemoteMessage original = in.oneOf(RemoteCodecTest.MESSAGES);
    byte[] mutated = Mutation.some(in, RemoteCodecTest.bytes(original));
    byte[] bytes = in.chance(85) ? RemoteCodecTest.sealed(mutated) : mutated;
    in.note(() -> HexFormat.of().formatHex(bytes));
    RemoteMessage read;
    try {
      read = RemoteCodecTest.decode(original, bytes);
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
