package io.reactivetransfer.tcp;

import static io.reactivetransfer.tcp.Node.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tcp.faults.Cable;
import io.reactivetransfer.tcp.faults.Direction;
import io.reactivetransfer.tcp.faults.Recorder;
import io.reactivetransfer.tcp.faults.Tap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/**
 * A network that flips bits, in heads above all: whatever is made of them, streams end once and
 * soon, no other memory is touched, and when it is over everything works again.
 */
class CorruptionTest {

  private static final Duration LIVENESS = Duration.ofMillis(400);
  private static final Duration FOUND = Duration.ofSeconds(20);
  private static final int ROUNDS = 30;
  private static final int WRITES = 200;

  private static final Imm IMM = Imm.of(1);
  private static final Imm LATER = Imm.of(2);

  private final long seed = Long.getLong("faults.seed", new Random().nextLong());
  private final Random random = new Random(seed);
  private final CabledBackend backend = CabledBackend.over(new TcpBackend());
  private final EngineOptions options =
      EngineOptions.builder()
          .livenessDeadline(LIVENESS)
          .transferDeadline(LIVENESS)
          .connectTimeout(LIVENESS)
          .closeTimeout(LIVENESS)
          .build();
  private final Node one = Node.open(backend, options);
  private final Node other = Node.open(backend, options);

  @AfterEach
  void close() {
    one.close();
    other.close();
  }

  /** So that most streams are hit: a stream is some kilobytes, what comes back is some bytes. */
  private static int bytesPerFlip(Direction direction) {
    return direction == Direction.TO_TARGET ? 4_000 : 60;
  }

  private Tap flips(int bytesPerFlip) {
    Random own = new Random(random.nextLong());
    return (_, bytes, offset, length) -> {
      for (int at = own.nextInt(2 * bytesPerFlip);
          at < length;
          at += own.nextInt(2 * bytesPerFlip)) {
        bytes[offset + at] ^= (byte) (1 << own.nextInt(8));
      }
    };
  }

  private WriteImm smallWrite(RemoteRegion target, Imm imm) {
    int length = random.nextInt(32);
    return one.write(target, random.nextInt(Node.BYTES - length), length, imm);
  }

  @ParameterizedTest
  @EnumSource
  void flippedBitsEndStreamsAndNothingElse(Direction direction) {
    System.out.println("faults.seed=" + seed + " " + direction);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment beside = arena.allocate(Node.BYTES);
      var registered = other.engine.register(beside).block(LONG);
      one.reaches(other, IMM);
      List<Cable> cables = backend.cables(one.engine.id(), other.engine.id());
      cables.forEach(cable -> cable.tap(direction, flips(bytesPerFlip(direction))));

      for (int round = 0; round < ROUNDS; round++) {
        RemoteRegion target = one.remote(other);
        Imm imm = Imm.of(100 + round); // the one before may be in doubt
        Recorder stream =
            Recorder.of(
                "round " + round,
                one.engine.submit(Flux.range(0, WRITES).map(_ -> smallWrite(target, imm))));
        stream.end(FOUND);
        stream.assertEndedOnce();
      }

      cables.forEach(Cable::mend);
      one.reaches(other, LATER);
      other.reaches(one, LATER);
      assertThat(beside.mismatch(arena.allocate(Node.BYTES))).as("other memory").isEqualTo(-1);
      other.assertGuarded();
      registered.close().block(LONG);
    }
  }
}
