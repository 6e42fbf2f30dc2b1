package io.reactivetransfer.tcp;

import static io.reactivetransfer.tcp.Node.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.tcp.faults.Cable;
import io.reactivetransfer.tcp.faults.Recorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens to a network and is no loss: it takes time, and everything arrives, once. */
class HarmlessFaultTest {

  private static final int WRITES = 400;
  private static final Imm IMM = Imm.of(1);

  /** What a cable can be like, for a while or for good. */
  enum Fault {
    DELAY,
    CRUMBLING,
    THROTTLE,
    SHORT_STALL;

    void happensTo(Cable cable, Random random) {
      switch (this) {
        case DELAY -> cable.delay(Duration.ofMillis(10), random);
        case CRUMBLING -> cable.crumble(3_000, random);
        case THROTTLE -> cable.throttle(10_000_000);
        case SHORT_STALL -> cable.stall();
      }
    }
  }

  private static final EngineOptions OPTIONS =
      EngineOptions.builder()
          .livenessDeadline(Node.LONG)
          .connectTimeout(Node.LONG)
          .minPieceBytes(4_096)
          .build();

  private final long seed = Long.getLong("faults.seed", new Random().nextLong());
  private final Random random = new Random(seed);
  private final CabledBackend backend = CabledBackend.over(new TcpBackend());
  private final Node one = Node.open(backend, OPTIONS);
  private final Node other = Node.open(backend, OPTIONS);

  @AfterEach
  void close() {
    one.close();
    other.close();
  }

  private List<Cable> cables() {
    List<Cable> all = new ArrayList<>(backend.cables(one.engine.id(), other.engine.id()));
    all.addAll(backend.cables(other.engine.id(), one.engine.id()));
    return all;
  }

  private Recorder write(Node origin, Node target) {
    return Recorder.of(
        "the stream of " + origin.engine.id(),
        origin.engine.submit(origin.writes(target, IMM, random.nextLong()).take(WRITES)));
  }

  @ParameterizedTest
  @EnumSource
  void everythingArrivesOnceAndNobodyIsLost(Fault fault) {
    System.out.println("faults.seed=" + seed + " " + fault);
    List<PeerState> states = new CopyOnWriteArrayList<>();
    one.peer(other).state().subscribe(states::add);
    other.peer(one).state().subscribe(states::add);
    one.reaches(other, IMM);
    other.reaches(one, IMM);
    cables().forEach(cable -> fault.happensTo(cable, new Random(random.nextLong())));

    List<Recorder> streams = List.of(write(one, other), write(other, one));

    if (fault == Fault.SHORT_STALL) {
      Awaitility.await()
          .during(Duration.ofMillis(300))
          .until(() -> streams.stream().allMatch(stream -> stream.values() == 0));
      cables().forEach(Cable::mend);
    }
    streams.forEach(stream -> assertThat(stream.end(LONG)).isEqualTo("completion"));
    streams.forEach(stream -> assertThat(stream.values()).isEqualTo(WRITES));
    for (Node node : List.of(one, other)) {
      node.engine.counter(IMM).next(WRITES).block(LONG);
      assertThat(node.engine.counter(IMM).discard().block(LONG)).isZero();
      node.assertOnlyWhatWasWritten();
    }
    assertThat(states).noneMatch(PeerState.Lost.class::isInstance);
    streams.forEach(Recorder::assertEndedOnce);
  }
}
