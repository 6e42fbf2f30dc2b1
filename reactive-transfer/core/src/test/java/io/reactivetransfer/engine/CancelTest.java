package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Scatter.Part;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.Probe;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** Rule 4: cancel cannot recall. */
class CancelTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;

  private void open(int nics) {
    hand.open(nics, o -> o.window(8));
    source = hand.region();
  }

  private Write write(long length) {
    return Write.of(source.slice(0, length), hand.remote(1).slice(0, length));
  }

  private Flux<Write> writes(int count) {
    return Flux.range(0, count).map(i -> write(100));
  }

  private Probe<Void> quiesced() {
    Probe<Void> probe = hand.probe(source.quiesced());
    hand.turn();
    return probe;
  }

  @Test
  void beforeAnythingHappenedItPreventsAll() {
    open(1);
    Probe<Write> probe = hand.probe(hand.engine().submit(write(100)));
    probe.cancel();
    hand.turn();
    assertThat(hand.posted()).isEmpty();
    assertThat(hand.stats().transfersInFlight()).isZero();
    quiesced().assertComplete();
  }

  @Test
  void beforePostingItPrevents() {
    open(1);
    hand.nic(0).room = 0;
    Probe<Write> probe = hand.probe(hand.engine().submit(writes(5)));
    hand.turn();
    probe.cancel();
    hand.nic(0).room = 100;
    hand.turn();
    assertThat(hand.posted()).isEmpty();
    assertThat(hand.stats().transfersInFlight()).isZero();
    quiesced().assertComplete();
  }

  @Test
  void afterPostingTheRegionStaysBusy() {
    open(1);
    Probe<Write> probe = hand.probe(hand.engine().submit(writes(2)));
    hand.turn();
    probe.cancel();
    hand.turn();
    Probe<Void> quiesced = quiesced().assertOpen();
    Probe<Void> closed = hand.probe(source.close());
    hand.turn();
    assertThat(hand.stats().transfersInFlight()).isEqualTo(2);
    hand.complete(hand.inFlight().getFirst());
    quiesced.assertOpen();
    closed.assertOpen();
    hand.complete(hand.inFlight().getFirst());
    quiesced.assertComplete();
    closed.assertComplete();
    assertThat(probe.items()).isEmpty();
    assertThat(probe.terminals()).isZero();
  }

  @Test
  void halfPostedItPostsNoMore() {
    hand.backend.maxWriteBytes = 100;
    open(2);
    hand.nic(0).room = 2;
    hand.nic(1).room = 1;
    Probe<Write> probe = hand.probe(hand.engine().submit(write(1_000)));
    hand.turn();
    probe.cancel();
    hand.nics().forEach(nic -> nic.room = 100);
    hand.turn();
    assertThat(hand.posted()).hasSize(3);
    Probe<Void> quiesced = quiesced().assertOpen();
    hand.completeAll();
    quiesced.assertComplete();
    assertThat(hand.posted()).hasSize(3);
  }

  @Test
  void whileLeadingPiecesAreOutTheTargetIsNotTold() {
    hand.backend.maxWriteBytes = 100;
    open(1);
    Probe<WriteImm> probe =
        hand.probe(
            hand.engine()
                .submit(
                    WriteImm.of(
                        source.slice(0, 1_500), hand.remote(1).slice(0, 1_500), Imm.of(4))));
    hand.turn();
    probe.cancel();
    hand.turn();
    hand.settle();
    assertThat(hand.posted()).hasSize(7).noneMatch(Piece::counted);
    quiesced().assertComplete();
  }

  @Test
  void itHarmsNoOtherStream() {
    open(1);
    Probe<Write> first = hand.probe(hand.engine().submit(writes(20)));
    Probe<Write> second = hand.probe(hand.engine().submit(writes(20)));
    hand.turn();
    hand.complete(hand.inFlight().getFirst());
    first.cancel();
    hand.settle();
    assertThat(second.assertComplete().count()).isEqualTo(20);
    assertThat(first.terminals()).isZero();
  }

  @Test
  void aFailureAfterwardsIsToldToNobody() {
    open(1);
    Probe<Write> probe = hand.probe(hand.engine().submit(writes(2)));
    hand.turn();
    probe.cancel();
    hand.fail(hand.inFlight().getFirst());
    hand.completeAll();
    assertThat(probe.terminals()).isZero();
    assertThat(hand.stats().transfersInFlight()).isZero();
  }

  @Test
  void itCancelsUpstreamOnce() {
    open(1);
    Upstream<Write> upstream = new Upstream<>();
    Probe<Write> probe = hand.probe(hand.engine().submit(upstream));
    hand.turn();
    upstream.emit(write(10));
    probe.cancel();
    assertThat(upstream.isCancelled()).isTrue();
    probe.cancel();
    upstream.emit(write(10));
    hand.turn();
    assertThat(hand.posted()).isEmpty();
  }

  @Test
  void fromWithinOnSubscribe() {
    open(1);
    Probe<Write> probe =
        hand.probe(
            hand.engine().submit(writes(3)), new Probe<Write>(0).onSubscription(Probe::cancel));
    hand.turn();
    assertThat(hand.posted()).isEmpty();
    assertThat(probe.terminals()).isZero();
  }

  @Test
  void fromWithinOnNext() {
    open(1);
    Probe<Write> probe = Probe.unbounded();
    hand.probe(
        hand.engine().submit(writes(100)),
        probe.onItem((p, write) -> {
          if (p.count() == 3) {
            p.cancel();
          }
        }));
    hand.turn();
    hand.settle();
    assertThat(probe.count()).isEqualTo(3);
    assertThat(hand.posted()).hasSizeLessThan(20);
    quiesced().assertComplete();
  }

  @Test
  void fromWithinTheEndOrLater() {
    open(1);
    Probe<Write> probe = Probe.unbounded();
    hand.probe(hand.engine().submit(writes(1)), probe.onEnd(Probe::cancel));
    hand.turn();
    hand.completeAll();
    assertThat(probe.isComplete()).isTrue();
    probe.cancel();
    hand.turn();
    assertThat(probe.terminals()).isEqualTo(1);
  }

  @Test
  void anItemThatWaitsForTheSchedulerIsDropped() {
    hand.signals = new HandScheduler();
    open(1);
    Probe<Write> probe = hand.probe(hand.engine().submit(writes(3)));
    hand.turn();
    hand.nic(0).completeAll();
    hand.turnWorker();
    probe.cancel();
    hand.turn();
    assertThat(probe.items()).isEmpty();
    assertThat(probe.terminals()).isZero();
  }

  @Test
  void itMakesRoomForAnotherSubscription() {
    hand.open(1, o -> o.maxSubmissions(1));
    source = hand.region();
    hand.nic(0).room = 0;
    for (int i = 0; i < 10; i++) {
      Probe<Write> probe = hand.probe(hand.engine().submit(write(1)));
      hand.turn();
      probe.assertOpen();
      probe.cancel();
      hand.turn();
    }
  }

  @Test
  void aScatterHalfPostedIsDrained() {
    open(1);
    hand.nic(0).room = 1;
    Scatter scatter =
        Scatter.of(
            null,
            new Part(source.slice(0, 10), hand.remote(1).slice(0, 10)),
            new Part(source.slice(0, 10), hand.remote(2).slice(0, 10)));
    Probe<Scatter> probe = hand.probe(hand.engine().submit(scatter));
    hand.turn();
    probe.cancel();
    hand.nic(0).room = 100;
    hand.turn();
    Probe<Void> quiesced = quiesced().assertOpen();
    hand.completeAll();
    quiesced.assertComplete();
    assertThat(hand.posted()).hasSize(1);
  }

  @Test
  void theTransferMayBeSubmittedAgain() {
    open(1);
    Write write = write(10);
    Probe<Write> first = hand.probe(hand.engine().submit(write));
    hand.turn();
    first.cancel();
    Probe<Write> second = hand.probe(hand.engine().submit(write));
    hand.turn();
    hand.completeAll();
    assertThat(second.assertComplete().items()).containsExactly(write);
  }
}
