package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.Probe;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** How much is on its way at once, and who says so. */
class FlowControlTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final Upstream<Write> upstream = new Upstream<>();
  private MemoryRegion source;

  private Write write(int peer) {
    return Write.of(source.slice(0, 100), hand.remote(peer).slice(0, 100));
  }

  private void emit(long count) {
    for (long i = 0; i < count; i++) {
      upstream.emit(write(1));
    }
    hand.turn();
  }

  @Test
  void withoutDemandNothingIsTaken() {
    hand.open(1);
    source = hand.region();
    Probe<Write> probe = hand.probe(hand.engine().submit(upstream), new Probe<>(0));
    hand.turn();
    assertThat(upstream.requested()).isZero();
    probe.cancel();
  }

  @Test
  void demandBoundsWhatIsTaken() {
    hand.open(1, o -> o.window(8));
    source = hand.region();
    Probe<Write> probe = hand.probe(hand.engine().submit(upstream), new Probe<>(3));
    assertThat(upstream.requested()).isEqualTo(3);
    emit(3);
    hand.completeAll();
    assertThat(probe.count()).isEqualTo(3);
    assertThat(upstream.requested()).as("3 came, 3 were asked for").isEqualTo(3);
    probe.request(2);
    hand.turn();
    assertThat(upstream.requested()).isEqualTo(5);
    upstream.complete();
    emit(0);
  }

  @Test
  void theWindowBoundsWhatIsTaken() {
    hand.open(1, o -> o.window(4));
    source = hand.region();
    Probe<Write> probe = hand.probe(hand.engine().submit(upstream));
    assertThat(upstream.requested()).isEqualTo(4);
    emit(4);
    assertThat(hand.inFlight()).hasSize(4);
    assertThat(upstream.requested()).isEqualTo(4);
    hand.completeAll();
    assertThat(probe.count()).isEqualTo(4);
    assertThat(upstream.requested()).isEqualTo(8);
    probe.cancel();
  }

  @Test
  void aWindowOfOneIsOneAfterTheOther() {
    hand.open(2, o -> o.window(1));
    source = hand.region();
    Probe<Write> probe = hand.probe(hand.engine().submit(Flux.range(0, 5).map(i -> write(1))));
    for (int i = 0; i < 5; i++) {
      hand.turn();
      assertThat(hand.inFlight()).hasSize(1);
      assertThat(probe.count()).isEqualTo(i);
      hand.completeAll();
    }
    probe.assertComplete();
  }

  /** Rule 6, whoever does what in which order. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 64})
  void flightNeverExceedsDemandOrWindowAndNothingIsForgotten(int window) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    hand.open(2, o -> o.window(window));
    source = hand.region();
    Probe<Write> probe = hand.probe(hand.engine().submit(upstream), new Probe<>(0));
    long asked = 0;
    long left = 300;
    for (int step = 0; step < 3_000; step++) {
      switch (random.nextInt(4)) {
        case 0 -> {
          long n = 1 + random.nextInt(2 * window);
          asked += n;
          probe.request(n);
        }
        case 1 -> {
          if (upstream.owed() > 0 && left > 0) {
            left--;
            upstream.emit(write(1 + random.nextInt(3)));
          }
        }
        case 2 -> {
          List<Piece> flying = hand.inFlight();
          if (!flying.isEmpty()) {
            Piece piece = flying.get(random.nextInt(flying.size()));
            hand.nic(piece.nic()).complete(piece);
          }
        }
        default -> hand.turn();
      }
      long taken = upstream.requested() - probe.count();
      assertThat(taken).as("seed %d, step %d", seed, step).isLessThanOrEqualTo(window);
      assertThat(upstream.requested()).as("seed %d", seed).isLessThanOrEqualTo(asked);
      assertThat(hand.inFlight()).as("seed %d", seed).hasSizeLessThanOrEqualTo(window);
    }
    probe.request(1_000);
    hand.settle();
    while (left > 0) {
      assertThat(upstream.owed()).as("seed %d: it must be asked for more", seed).isPositive();
      long next = Math.min(left, upstream.owed());
      emit(next);
      left -= next;
      hand.settle();
    }
    upstream.complete();
    hand.settle();
    probe.assertComplete();
  }

  @Test
  void piecesOnOneNicAreBounded() {
    hand.open(1, o -> o.nicDepth(2));
    source = hand.region();
    Probe<Write> probe = hand.probe(hand.engine().submit(Flux.range(0, 5).map(i -> write(1))));
    hand.turn();
    assertThat(hand.inFlight()).hasSize(2);
    hand.complete(hand.inFlight().getFirst());
    assertThat(hand.inFlight()).hasSize(2);
    assertThat(hand.posted()).hasSize(3);
    hand.settle();
    assertThat(probe.assertComplete().count()).isEqualTo(5);
  }

  @Test
  void theBackendMayAllowLess() {
    hand.backend.queueDepth = 3;
    hand.open(2, o -> o.nicDepth(100));
    source = hand.region();
    hand.probe(hand.engine().submit(Flux.range(0, 50).map(i -> write(1))));
    hand.turn();
    assertThat(hand.nic(0).inFlight()).hasSize(3);
    assertThat(hand.nic(1).inFlight()).hasSize(3);
    hand.settle();
    assertThat(hand.posted()).hasSize(50);
  }

  @Test
  void piecesToOnePeerAreBoundedAndOthersGoOn() {
    hand.open(2, o -> o.peerDepth(3));
    source = hand.region();
    hand.probe(hand.engine().submit(Flux.range(0, 10).map(i -> write(1))));
    hand.probe(hand.engine().submit(Flux.range(0, 2).map(i -> write(2))));
    hand.turn();
    RemoteRegion one = hand.remote(1);
    assertThat(hand.inFlight())
        .filteredOn(piece -> piece.target().peer().engine().equals(one.peer().id()))
        .hasSize(3);
    assertThat(hand.inFlight()).hasSize(5);
    hand.settle();
    assertThat(hand.posted()).hasSize(12);
  }

  @Test
  void bytesToOnePeerAreBoundedAndOthersGoOn() {
    hand.backend.maxWriteBytes = 100;
    hand.open(2, o -> o.peerBytes(250));
    source = hand.region();
    Probe<Write> large =
        hand.probe(
            hand.engine().submit(Write.of(source.slice(0, 1_000), hand.remote(1).slice(0, 1_000))));
    Probe<Write> other =
        hand.probe(
            hand.engine().submit(Write.of(source.slice(0, 100), hand.remote(2).slice(0, 100))));
    hand.turn();
    assertThat(hand.inFlight()).as("2 of 10 pieces, and the other's").hasSize(3);
    hand.settle();
    large.assertComplete();
    other.assertComplete();
    assertThat(hand.posted()).hasSize(11);
  }

  @Test
  void aPieceThatIsLongerThanThatGoesAlone() {
    hand.open(1, o -> o.peerBytes(10));
    source = hand.region();
    Probe<Write> probe =
        hand.probe(
            hand.engine()
                .submit(
                    Flux.range(0, 3)
                        .map(i -> Write.of(source.slice(0, 50), hand.remote(1).slice(0, 50)))));
    hand.turn();
    assertThat(hand.inFlight()).hasSize(1);
    hand.settle();
    assertThat(probe.assertComplete().count()).isEqualTo(3);
  }

  @Test
  void peersThatTakeNothingLeaveRoomForTheNextOne() {
    hand.open(1, o -> o.nicDepth(64).peerDepth(1_000));
    source = hand.region();
    for (int stuck = 1; stuck <= 3; stuck++) {
      int peer = stuck;
      hand.probe(hand.engine().submit(Flux.range(0, 200).map(i -> write(peer))));
      hand.turn();
    }
    RemoteRegion next = hand.remote(4);
    hand.probe(hand.engine().submit(Flux.range(0, 200).map(i -> write(4))));
    hand.turn();
    assertThat(hand.inFlight())
        .as("in flight to the fourth")
        .anyMatch(piece -> piece.target().peer().engine().equals(next.peer().id()));
    hand.settle();
    assertThat(hand.posted()).hasSize(800);
  }

  @Test
  void aWriteOfManyPiecesDoesNotHoldUpAnotherPeer() {
    hand.backend.maxWriteBytes = 10;
    hand.open(1, o -> o.nicDepth(2000).window(1));
    source = hand.region();
    hand.probe(
        hand.engine().submit(Write.of(source.slice(0, 9_000), hand.remote(1).slice(0, 9_000))));
    hand.probe(hand.engine().submit(Write.of(source.slice(0, 10), hand.remote(2).slice(0, 10))));
    hand.probe(hand.engine().submit(Write.of(source.slice(0, 10), hand.remote(1).slice(0, 10))));
    hand.turn();
    assertThat(hand.posted()).as("all three take turns").hasSize(902);
    hand.settle();
  }

  // ---- refusals ----

  /** However much another stream to the same peer has handed over. */
  @Test
  void aStreamWaitsForOneWriteOfEachOtherOne() {
    hand.open(1, o -> o.nicDepth(1));
    source = hand.region();
    hand.probe(hand.engine().submit(Flux.range(0, 200).map(_ -> write(1))));
    hand.probe(hand.engine().submit(Flux.range(0, 200).map(_ -> write(1))));
    hand.turn();
    Probe<Write> late = hand.probe(hand.engine().submit(write(1)));
    hand.turn();

    for (int others = 0; others < 3; others++) {
      assertThat(late.count()).isZero();
      hand.completeAll();
      hand.turn();
    }

    hand.completeAll();
    assertThat(late.count()).isEqualTo(1);
    hand.settle();
  }

  @Test
  void whatIsRefusedIsTriedAgain() {
    hand.open(1);
    source = hand.region();
    hand.nic(0).room = 0;
    Probe<Write> probe = hand.probe(hand.engine().submit(write(1)));
    hand.turn();
    hand.turn();
    assertThat(hand.posted()).isEmpty();
    probe.assertOpen();
    hand.nic(0).room = 1;
    hand.turn();
    assertThat(hand.posted()).hasSize(1);
    hand.completeAll();
    probe.assertComplete();
  }

  @Test
  void whatIsRefusedHalfWayGoesOnWhereItWas() {
    hand.backend.maxWriteBytes = 10;
    hand.open(1);
    source = hand.region();
    hand.nic(0).room = 3;
    Probe<Write> probe =
        hand.probe(
            hand.engine().submit(Write.of(source.slice(0, 50), hand.remote(1).slice(0, 50))));
    hand.turn();
    assertThat(hand.posted()).extracting(Piece::sourceOffset).containsExactly(0L, 10L, 20L);
    hand.completeAll();
    probe.assertOpen();
    hand.nic(0).room = 10;
    hand.turn();
    assertThat(hand.posted())
        .extracting(Piece::sourceOffset)
        .containsExactly(0L, 10L, 20L, 30L, 40L);
    hand.completeAll();
    assertThat(probe.assertComplete().count()).isEqualTo(1);
  }

  @Test
  void aNicThatRefusesForEverDelaysNobody() {
    hand.open(3);
    source = hand.region();
    hand.nic(1).room = 0;
    Probe<Write> probe =
        hand.probe(hand.engine().submit(Flux.range(0, 100).map(i -> write(i % 2))));
    hand.turn();
    hand.settle();
    assertThat(probe.assertComplete().count()).isEqualTo(100);
    assertThat(hand.nic(1).posted()).isEmpty();
    assertThat(hand.nic(0).posted()).hasSizeBetween(30, 70);
  }

  @Test
  void anEngineWhoseNicsAllRefuseSleeps() {
    hand.open(2);
    source = hand.region();
    hand.nic(0).room = 0;
    hand.nic(1).room = 0;
    hand.probe(hand.engine().submit(Flux.range(0, 10).map(i -> write(i % 2))));
    hand.turn(); // would say that the loop is never idle
    assertThat(hand.loop.step()).isFalse();
    hand.nics().forEach(nic -> nic.room = Integer.MAX_VALUE);
    hand.turn();
    hand.settle();
  }

  @Test
  void oneMoreSubscriptionThanAllowedIsRejected() {
    hand.open(1, o -> o.maxSubmissions(2));
    source = hand.region();
    Probe<Write> first = hand.probe(hand.engine().submit(write(1)));
    hand.probe(hand.engine().submit(write(1)));
    Probe<Write> third = hand.probe(hand.engine().submit(write(1)));
    assertThat(third.error()).hasMessageContaining("maxSubmissions");
    hand.turn();
    hand.complete(hand.inFlight().getFirst());
    first.assertComplete();
    Probe<Write> fourth = hand.probe(hand.engine().submit(write(1)));
    hand.turn();
    hand.settle();
    fourth.assertComplete();
  }

  @Test
  void theStatisticsCountWhatIsOnItsWay() {
    hand.backend.maxWriteBytes = 60;
    hand.open(1);
    source = hand.region();
    hand.probe(hand.engine().submit(Flux.range(0, 2).map(i -> write(1))));
    hand.turn();
    assertThat(hand.stats().transfersInFlight()).isEqualTo(2);
    assertThat(hand.stats().writesInFlight()).isEqualTo(4);
    assertThat(hand.stats().writesPosted()).isEqualTo(4);
    assertThat(hand.stats().bytesPosted()).isEqualTo(200);
    assertThat(hand.stats().openRegions()).isEqualTo(1);
    hand.settle();
    assertThat(hand.stats().transfersInFlight()).isZero();
    assertThat(hand.stats().writesInFlight()).isZero();
    assertThat(hand.stats().writesPosted()).isEqualTo(4);
  }
}
