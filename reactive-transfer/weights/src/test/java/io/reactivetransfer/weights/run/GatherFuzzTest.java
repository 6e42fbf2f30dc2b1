package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.weights.CodecSaboteur;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What ranks of a trainer say to each other, of any bytes: it is read as what it says, or refused.
 * And whoever gathers writes where the rank that prepares has granted room first, or ends its run.
 */
@Timeout(7_200)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GatherFuzzTest {

  private static final int DESK_PERCENT = 3; // each takes as much as a hundred of the others

  /** A rank that gathers for the first one. */
  private final DeskRig rig = new DeskRig(true);

  private final DeskRig.Other preparer = rig.new Other(0);

  /** Where the first one has room: for the step, and as much behind it. */
  private final RegionDescriptor room = preparer.room(2 * rig.asked.bytes());

  @AfterAll
  void close() {
    rig.close();
  }

  @Test
  void messages() {
    Fuzz.run(
        Target.WEIGHTS_GATHER,
        in -> {
          if (in.chance(DESK_PERCENT)) {
            desk(in);
          } else {
            message(in, CodecSaboteur.NONE);
          }
        });
  }

  private static byte[] mutated(Input in, byte[] original) {
    byte[] mutated = Mutation.some(in, original);
    byte[] bytes = in.chance(85) ? CodecSaboteur.sealed(mutated) : mutated;
    in.note(() -> HexFormat.of().formatHex(bytes));
    return bytes;
  }

  private static void message(Input in, CodecSaboteur codec) {
    byte[] original = bytes(in.oneOf(GatherCodecTest.MESSAGES));
    byte[] bytes = mutated(in, original);
    GatherMessage read;
    try {
      read = codec.decode(bytes, some -> GatherCodec.decode(ByteBuffer.wrap(some)));
    } catch (IllegalArgumentException e) {
      assertThat(Arrays.equals(bytes, original)).as("refuses what was written: %s", e).isFalse();
      assertThat(e.getMessage()).isNotEmpty();
      return;
    }
    if (read instanceof GatherMessage.Failed failed) {
      // A text is for people: what has no glyph, or is no text, is shown as something else.
      assertThat(failed.why()).doesNotContainPattern("\\p{C}");
      if (failed.why().length() < 100) { // else it is cut
        assertThat(GatherCodec.decode(GatherCodec.encode(read))).isEqualTo(read);
      }
      assertThat(bytes).isEqualTo(CodecSaboteur.sealed(bytes));
    } else {
      assertThat(bytes(read)).as("written again").isEqualTo(bytes);
    }
  }

  private static byte[] bytes(GatherMessage message) {
    ByteBuffer encoded = GatherCodec.encode(message);
    byte[] bytes = new byte[encoded.remaining()];
    encoded.get(bytes);
    return bytes;
  }

  /** A run of a rank that gathers hears this and that of the one that prepares. */
  private void desk(Input in) throws InterruptedException {
    long number = in.anyLong() | 1L << 62; // none of those before, nor one beside them
    Run run = rig.run(number);
    rig.step.reset();
    rig.step.transfers = StepState.NONE;
    rig.desk.begin(run);
    List<GatherMessage> heard = new ArrayList<>();
    hear(in, bytes(new GatherMessage.Temporaries(number, room)), number, heard);
    for (int times = in.between(1, 5); times > 0; times--) {
      byte[] right = bytes(drawn(in, number));
      hear(in, in.chance(30) ? mutated(in, right) : right, number, heard);
    }
    boolean hasFailed =
        preparer.read().stream()
            .anyMatch(answer ->
                answer instanceof GatherMessage.Failed failed && failed.update() == number);
    require(heard, hasFailed);
    rig.desk.end(run, false).block(Cluster.PATIENCE);
  }

  private void hear(Input in, byte[] bytes, long number, List<GatherMessage> heard) {
    in.note(() -> HexFormat.of().formatHex(bytes));
    preparer.sayBytes(bytes);
    try {
      GatherMessage message = GatherCodec.decode(ByteBuffer.wrap(bytes));
      if (message.update() == number) {
        heard.add(message);
      }
    } catch (IllegalArgumentException refused) {
      // As if it had not been said.
    }
  }

  private GatherMessage drawn(Input in, long number) {
    int bytes = Math.toIntExact(rig.asked.bytes());
    return switch (in.below(10)) {
      case 0 -> new GatherMessage.Failed(number, "why");
      case 1 -> new GatherMessage.Ask(number, List.of(rig.asked));
      case 2 -> new GatherMessage.Temporaries(number, room);
      default -> {
        int offset = in.below((in.chance(80) ? 1 : 3) * bytes + 1);
        yield new GatherMessage.Grant(number, rig.asked.order(), offset, in.below(1 << 16));
      }
    };
  }

  /** The first grant counts: there is room, or the run ends. */
  private void require(List<GatherMessage> heard, boolean hasFailed) {
    List<GatherMessage.Grant> grants = new ArrayList<>();
    boolean mustFail = false;
    boolean mayFail = false;
    for (GatherMessage one : heard) {
      switch (one) {
        case GatherMessage.Failed failed -> mustFail = true;
        case GatherMessage.Ask ask -> mayFail = true; // it is not what this rank prepares
        case GatherMessage.Temporaries told -> mayFail |= !told.descriptor().equals(room);
        case GatherMessage.Grant grant when grant.order() == rig.asked.order() -> {
          grants.add(grant);
          mayFail |= grant.offset() > room.length() - rig.asked.bytes();
        }
        case GatherMessage.Grant other -> mayFail = true;
      }
    }
    assertThat(hasFailed).as("has failed").isIn(mustFail, mustFail || mayFail);
    if (!hasFailed) {
      assertThat(rig.step.isGranted).as("is granted").isEqualTo(!grants.isEmpty());
    }
    if (rig.step.isGranted) {
      assertThat(rig.step.transfers)
          .as("granted once")
          .isNotEmpty()
          .allMatch(write -> Imm.of(grants.getFirst().imm()).equals(write.imm()));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void findsAMistake(CodecSaboteur codec) {
    assertThat(Fuzz.firstFailure(Target.WEIGHTS_GATHER, 1, 0, 500, in -> message(in, codec)))
        .isPresent();
  }
}
