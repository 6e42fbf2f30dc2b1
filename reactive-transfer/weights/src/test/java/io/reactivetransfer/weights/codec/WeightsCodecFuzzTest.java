package io.reactivetransfer.weights.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.weights.CodecSaboteur;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RandomModel;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.TableDiff;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bytes of any kind are read as what they say, or refused; nothing else. */
@Timeout(7_200)
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // its tables are made once
class WeightsCodecFuzzTest {

  private static final int MODELS = 12;

  private final List<byte[]> tables = new ArrayList<>();
  private final List<byte[]> sources = new ArrayList<>();
  private final List<byte[]> targets = new ArrayList<>();

  WeightsCodecFuzzTest() {
    tables.add(WeightsCodecTest.bytes(WeightsCodec.encode(WeightsCodecTest.small())));
    for (long seed = 0; seed < MODELS; seed++) {
      RandomModel model = new RandomModel(seed);
      RoutingTable table =
          Planner.create().stepBytes(256).shareBytes(256).plan(model.sources, model.targets);
      tables.add(WeightsCodecTest.bytes(WeightsCodec.encode(table)));
      model.sources.forEach(rank -> sources.add(WeightsCodecTest.bytes(WeightsCodec.encode(rank))));
      model.targets.forEach(rank -> targets.add(WeightsCodecTest.bytes(WeightsCodec.encode(rank))));
    }
  }

  @Test
  void tablesAndDescriptions() {
    Fuzz.run(Target.WEIGHTS, in -> frame(in, CodecSaboteur.NONE));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void findsAMistake(CodecSaboteur codec) {
    assertThat(Fuzz.firstFailure(Target.WEIGHTS, 1, 0, 500, in -> frame(in, codec))).isPresent();
  }

  private void frame(Input in, CodecSaboteur codec) {
    switch (in.below(3)) {
      case 0 -> table(in, codec);
      case 1 -> source(in, codec);
      default -> target(in, codec);
    }
  }

  private static byte[] mutated(Input in, byte[] original) {
    byte[] mutated = Mutation.some(in, original);
    byte[] bytes =
        in.chance(85)
            ? WeightsCodecTest.sealed(mutated)
            : in.chance(50) ? mutated : withAnotherChecksum(in, original);
    in.note(() -> HexFormat.of().formatHex(bytes));
    return bytes;
  }

  /** Of a table, mutations hardly ever change this and nothing else. */
  private static byte[] withAnotherChecksum(Input in, byte[] original) {
    byte[] changed = original.clone();
    changed[changed.length - 1 - in.below(Integer.BYTES)] ^= (byte) (1 << in.below(Byte.SIZE));
    return changed;
  }

  private static void requireRefused(
      byte[] bytes, byte[] original, String what, WeightsFormatException e) {
    assertThat(Arrays.equals(bytes, original)).as("refuses what was written: %s", e).isFalse();
    assertThat(e).hasMessageStartingWith("not " + what + ": ");
  }

  private void table(Input in, CodecSaboteur codec) {
    byte[] original = in.oneOf(tables);
    byte[] bytes = mutated(in, original);
    RoutingTable table;
    try {
      table = codec.decode(bytes, some -> WeightsCodec.decodeTable(ByteBuffer.wrap(some)));
    } catch (WeightsFormatException e) {
      requireRefused(bytes, original, "a routing table", e);
      return;
    }
    assertThat(WeightsCodecTest.bytes(WeightsCodec.encode(table)))
        .as("written again")
        .isEqualTo(bytes);
    assertThat(table.cost().bytes()).isNotNegative();
    assertThat(table.print()).isNotEmpty();
    assertThat(TableDiff.between(table, table).isEmpty()).isTrue();
  }

  private void source(Input in, CodecSaboteur codec) {
    byte[] original = in.oneOf(sources);
    byte[] bytes = mutated(in, original);
    SourceRank rank;
    try {
      rank = codec.decode(bytes, some -> WeightsCodec.decodeSourceRank(ByteBuffer.wrap(some)));
    } catch (WeightsFormatException e) {
      requireRefused(bytes, original, "a source rank", e);
      return;
    }
    assertThat(WeightsCodecTest.bytes(WeightsCodec.encode(rank)))
        .as("written again")
        .isEqualTo(bytes);
  }

  /** What is read can be given to a planner, which refuses it if it does not fit. */
  private void target(Input in, CodecSaboteur codec) {
    byte[] original = in.oneOf(targets);
    byte[] bytes = mutated(in, original);
    TargetRank rank;
    try {
      rank = codec.decode(bytes, some -> WeightsCodec.decodeTargetRank(ByteBuffer.wrap(some)));
    } catch (WeightsFormatException e) {
      requireRefused(bytes, original, "a target rank", e);
      return;
    }
    assertThat(WeightsCodecTest.bytes(WeightsCodec.encode(rank)))
        .as("written again")
        .isEqualTo(bytes);
    SourceRank source = WeightsCodec.decodeSourceRank(ByteBuffer.wrap(in.oneOf(sources)));
    try {
      Planner.create().plan(List.of(source), List.of(rank));
    } catch (IllegalArgumentException e) {
      assertThat(e.getMessage()).contains("expected ");
    }
  }
}
