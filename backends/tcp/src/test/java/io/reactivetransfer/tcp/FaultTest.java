package io.reactivetransfer.tcp;

import static io.reactivetransfer.tcp.Node.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.tcp.faults.Cable;
import io.reactivetransfer.tcp.faults.Recorder;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/**
 * Two engines that write to each other when something happens to the network between them: all ends
 * once and soon, nothing is counted twice, nobody touches memory that was given back, and they find
 * each other again.
 */
class FaultTest {

  /** Longer than what the traffic before the fault waits on a busy machine. */
  private static final Duration LIVENESS = Duration.ofSeconds(5);

  /** A deadline, the liveness deadline and a quarter, and the rest for a busy machine. */
  private static final Duration FOUND = LIVENESS.multipliedBy(6);

  private static final EngineOptions OPTIONS =
      EngineOptions.builder()
          .livenessDeadline(LIVENESS)
          .transferDeadline(LIVENESS)
          .connectTimeout(LONG)
          .closeTimeout(LIVENESS)
          .minPieceBytes(4_096)
          .build();

  private static final Imm FIRST = Imm.of(1);
  private static final Imm STREAM = Imm.of(2);
  private static final Imm AGAIN = Imm.of(3);
  private static final int POISON = 101;
  private static final int CANARY = 102;

  private final long seed = Long.getLong("faults.seed", new Random().nextLong());
  private final Random random = new Random(seed);
  private final Sinks.Empty<Void> enough = Sinks.empty();
  private final CabledBackend backend = CabledBackend.over(new TcpBackend());
  private final Node one = Node.open(backend, OPTIONS);
  private final Node other = Node.open(backend, OPTIONS);

  /** What goes on from one engine to another until it fails. */
  private final class Traffic {

    final Node origin;
    final Node target;
    final long[] submitted = new long[1];
    final Recorder stream;
    final Recorder messages;
    final List<Recorder> all = new ArrayList<>();

    Traffic(Node origin, Node target) {
      this.origin = origin;
      this.target = target;
      String who = origin.engine.id().toShortString();
      stream =
          Recorder.of(
              "the stream of " + who,
              origin.engine.submit(
                  origin.writes(target, STREAM, random.nextLong()).doOnNext(_ -> submitted[0]++)));
      all.add(stream);
      all.add(
          Recorder.of(
              "the claim on what comes from " + who,
              target.engine.counter(STREAM).boundTo(target.peer(origin)).next(1L << 30)));
      // Not one upon the other: they go on while the writes stand still, and would take all time.
      Flux<Void> sent =
          Flux.range(0, Integer.MAX_VALUE)
              .delayElements(Duration.ofMillis(2))
              .concatMap(number -> origin.engine.send(origin.peer(target), message(number)), 1);
      messages = Recorder.of("the messages of " + who, sent.takeUntilOther(enough.asMono()));
    }

    /** After the failure, when the source may be used again and the target's memory is too. */
    void check() {
      origin.from.quiesced().block(LONG);
      origin.source.fill((byte) POISON);
      target.assertOnlyWhatWasWritten();
      target.to.revoke().block(LONG);
      long counted = target.engine.counter(STREAM).discard().block(LONG);
      // Nothing, if the origin was back by then and has said that nobody knows what was counted.
      if (counted != 0) {
        assertThat(counted).isBetween(stream.values(), submitted[0]);
      }
      target.sink.fill((byte) CANARY);
    }
  }

  private static ByteBuffer message(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(0, number);
  }

  @AfterEach
  void close() {
    one.close();
    other.close();
  }

  /** A way that breaks is none of these: what went over it goes over others. */
  @ParameterizedTest
  @EnumSource(names = {"STALL", "STALL_OF_WHAT_ONE_GETS"})
  void allEndsOnceAndBothGoOn(Fault fault) {
    assertAllEndsOnceAndBothGoOn(fault);
  }

  /** In a usual build the other direction stalls: what one of them gets is what the other sends. */
  @Test
  @Tag("nightly")
  void soItIsWhereNothingThatIsSentComes() {
    assertAllEndsOnceAndBothGoOn(Fault.STALL_OF_WHAT_ONE_SENDS);
  }

  private void assertAllEndsOnceAndBothGoOn(Fault fault) {
    System.out.println("faults.seed=" + seed + " " + fault);
    one.engine.messages().subscribe();
    other.engine.messages().subscribe();
    one.reaches(other, FIRST); // the first takes longest, and may have missed its deadline
    other.reaches(one, FIRST);
    Traffic there = new Traffic(one, other);
    Traffic back = new Traffic(other, one);
    long many = 50 + random.nextInt(500);
    Awaitility.await()
        .atMost(LONG)
        .until(() -> there.stream.hasMoreThan(many) && back.stream.hasMoreThan(many));

    fault.happensTo(cables(one, other), cables(other, one));

    List<Recorder> all = new ArrayList<>(there.all);
    all.addAll(back.all);
    all.forEach(recorder -> assertThat(recorder.end(FOUND)).isNotEqualTo("completion"));
    enough.tryEmitEmpty(); // they may have been between two when the connection was lost
    all.addAll(List.of(there.messages, back.messages));
    all.forEach(recorder -> recorder.end(FOUND));
    there.check();
    back.check();
    cables(one, other).forEach(Cable::mend);
    cables(other, one).forEach(Cable::mend);

    one.reaches(other, AGAIN);
    other.reaches(one, AGAIN);
    one.engine.send(one.peer(other), message(0)).retry(100).block(LONG);
    other.engine.send(other.peer(one), message(0)).retry(100).block(LONG);
    one.assertFilledWith(CANARY);
    other.assertFilledWith(CANARY);
    assertThat(one.engine.counter(STREAM).discard().block(LONG)).as("came later").isZero();
    assertThat(other.engine.counter(STREAM).discard().block(LONG)).as("came later").isZero();
    all.forEach(Recorder::assertEndedOnce);
  }

  private List<Cable> cables(Node from, Node to) {
    return backend.cables(from.engine.id(), to.engine.id());
  }
}
