package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.weights.CodecSaboteur;
import io.reactivetransfer.weights.internal.MessageFormatException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bytes of any kind are read as what they say, or refused; and no machine breaks over them. */
@Timeout(7_200)
class VersionCodecFuzzTest {

  private static final List<byte[]> COMMANDS =
      VersionCodecTest.COMMANDS.stream()
          .map(command -> VersionCodecTest.bytes(VersionCodec.encode(command)))
          .toList();

  private static final List<byte[]> REPORTS =
      VersionCodecTest.REPORTS.stream()
          .map(report -> VersionCodecTest.bytes(VersionCodec.encode(report)))
          .toList();

  @Test
  void messages() {
    Fuzz.run(Target.WEIGHTS_VERSIONS, in -> message(in, CodecSaboteur.NONE));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void findsAMistake(CodecSaboteur codec) {
    assertThat(Fuzz.firstFailure(Target.WEIGHTS_VERSIONS, 1, 0, 500, in -> message(in, codec)))
        .isPresent();
  }

  private static void message(Input in, CodecSaboteur codec) {
    switch (in.below(3)) {
      case 0 -> command(in, codec);
      case 1 -> report(in, codec);
      default -> order(in, codec);
    }
  }

  private static byte[] mutated(Input in, byte[] original) {
    byte[] mutated = Mutation.some(in, original);
    byte[] bytes = in.chance(85) ? VersionCodecTest.sealed(mutated) : mutated;
    in.note(() -> HexFormat.of().formatHex(bytes));
    return bytes;
  }

  private static void requireRefused(byte[] bytes, byte[] original, MessageFormatException e) {
    assertThat(Arrays.equals(bytes, original)).as("refuses what was written: %s", e).isFalse();
    assertThat(e).hasMessageStartingWith("not a message of weights: ");
  }

  private static void command(Input in, CodecSaboteur codec) {
    byte[] original = in.oneOf(COMMANDS);
    byte[] bytes = mutated(in, original);
    Command command;
    try {
      command = codec.decode(bytes, some -> VersionCodec.decodeCommand(ByteBuffer.wrap(some)));
    } catch (MessageFormatException e) {
      requireRefused(bytes, original, e);
      return;
    }
    assertThat(VersionCodecTest.bytes(VersionCodec.encode(command)))
        .as("written again")
        .isEqualTo(bytes);
    // Whatever it says, one command makes nobody vote.
    World world = new World(in.below(100), new Mistake());
    SimulatedRank rank = world.living().getFirst();
    rank.machine.receive(command, 1);
    rank.machine.tick();
    assertThat(rank.machine.report().state()).isNotEqualTo(RankState.UNDECIDED);
  }

  private static void report(Input in, CodecSaboteur codec) {
    byte[] original = in.oneOf(REPORTS);
    byte[] bytes = mutated(in, original);
    Report report;
    try {
      report = codec.decode(bytes, some -> VersionCodec.decodeReport(ByteBuffer.wrap(some)));
    } catch (MessageFormatException e) {
      requireRefused(bytes, original, e);
      return;
    }
    assertThat(VersionCodecTest.bytes(VersionCodec.encode(report)))
        .as("written again")
        .isEqualTo(bytes);
  }

  private static void order(Input in, CodecSaboteur codec) {
    byte[] original = VersionCodecTest.bytes(VersionCodecTest.ORDER.toBytes());
    byte[] bytes = mutated(in, original);
    WriteOrder order;
    try {
      order = codec.decode(bytes, some -> WriteOrder.fromBytes(ByteBuffer.wrap(some)));
    } catch (MessageFormatException e) {
      requireRefused(bytes, original, e);
      return;
    }
    assertThat(VersionCodecTest.bytes(order.toBytes())).as("written again").isEqualTo(bytes);
  }
}
