package io.reactivetransfer.weights.safetensors;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.weights.CodecSaboteur;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A file of any bytes is read as what it says, within its bounds, or refused; nothing else. */
@Timeout(7_200)
class SafetensorsFuzzTest {

  private static final List<byte[]> ORIGINALS =
      List.of(
          SafetensorsFileTest.file("{}", 0),
          SafetensorsFileTest.file(
              """
              {"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},
              "v":{"dtype":"I8","shape":[],"data_offsets":[24,25]}}\
              """,
              25),
          SafetensorsFileTest.file(
              "{\"e\":{\"dtype\":\"BF16\",\"shape\":[0],\"data_offsets\":[0,0]}}  ", 0));

  @Test
  void files() {
    Fuzz.run(Target.SAFETENSORS, in -> check(in, CodecSaboteur.NONE));
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NONE", "TAKES_ANY_CHECKSUM"})
  void findsAMistake(CodecSaboteur codec) {
    assertThat(Fuzz.firstFailure(Target.SAFETENSORS, 1, 0, 500, in -> check(in, codec)))
        .isPresent();
  }

  private static void check(Input in, CodecSaboteur codec) {
    byte[] original = in.oneOf(ORIGINALS);
    byte[] bytes = Mutation.some(in, original);
    if (in.chance(50) && bytes.length > Long.BYTES) { // a length that fits what is there
      int behind = in.chance(80) ? original.length - header(original) : in.below(bytes.length);
      long length = Math.max(0, bytes.length - behind - Long.BYTES);
      for (int i = 0; i < Long.BYTES; i++) {
        bytes[i] = (byte) (length >>> 8 * i);
      }
    }
    byte[] file = bytes;
    in.note(() -> HexFormat.of().formatHex(file));
    MemorySegment all = MemorySegment.ofArray(file);
    SafetensorsHeader header;
    try {
      header =
          codec.decode(
              file,
              UnaryOperator.identity(),
              some -> SafetensorsHeader.read("f", MemorySegment.ofArray(some)));
    } catch (SafetensorsFormatException e) {
      assertThat(Arrays.equals(file, original)).as("refuses what is right: %s", e).isFalse();
      assertThat(e).hasMessageStartingWith("f: expected ");
      assertThat(e.getMessage()).doesNotContainPattern("\\p{Cc}");
      return;
    }
    long end = header.bytes();
    for (SafetensorsEntry entry : header.entries().values()) {
      long length = entry.end() - entry.begin();
      assertThat(header.bytes() + entry.begin()).isEqualTo(end);
      assertThat(all.asSlice(end, length).byteSize()).isEqualTo(length);
      end += length;
    }
    assertThat(end).isEqualTo(file.length);
  }

  /** Its length, with that of its length. */
  private static int header(byte[] file) {
    return Long.BYTES + Byte.toUnsignedInt(file[0]) + (Byte.toUnsignedInt(file[1]) << 8);
  }
}
