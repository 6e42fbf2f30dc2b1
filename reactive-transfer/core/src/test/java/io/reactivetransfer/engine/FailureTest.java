package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Scatter.Part;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.Probe;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** Rule 3: stop pulling, stop posting, drain what is out, then signal. */
class FailureTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final Upstream<Transfer> upstream = new Upstream<>();
  private MemoryRegion source;
  private Probe<Transfer> probe;

  private void open(int nics, int window) {
    hand.open(nics, o -> o.window(window).minPieceBytes(1));
    source = hand.region();
    probe = hand.probe(hand.engine().submit(upstream));
  }

  private Write write(int peer, long offset, long length) {
    return Write.of(source.slice(offset, length), hand.remote(peer).slice(offset, length));
  }

  /** Emits writes of one piece each. */
  private List<Write> emit(int count) {
    List<Write> writes = IntStream.range(0, count).mapToObj(i -> write(1, i, 1)).toList();
    writes.forEach(upstream::emit);
    hand.turn();
    return writes;
  }

  @Test
  void theErrorComesWhenTheLastPostedPieceIsBack() {
    open(2, 8);
    emit(4);
    Piece failing = hand.inFlight().get(1);
    hand.fail(failing);
    probe.assertOpen();
    assertThat(upstream.isCancelled()).isTrue();
    while (hand.inFlight().size() > 1) {
      hand.complete(hand.inFlight().getFirst());
      probe.assertOpen();
    }
    hand.complete(hand.inFlight().getFirst());
    TransferFailedException error = (TransferFailedException) probe.error();
    assertThat(error).hasMessageContaining("told to fail");
    assertThat(error.peer()).isEqualTo(hand.peer(1).id());
    assertThat(error.nic()).isEqualTo("s" + failing.nic());
    assertThat(error.code()).isEqualTo(5);
  }

  @Test
  void whatWasDoneBeforeIsEmittedBefore() {
    hand.signals = new HandScheduler();
    open(1, 8);
    List<Write> writes = emit(4);
    List<Piece> pieces = hand.inFlight();
    hand.nic(0).complete(pieces.get(2));
    hand.nic(0).complete(pieces.get(0));
    hand.nic(0).fail(pieces.get(1), 1, "no");
    hand.nic(0).complete(pieces.get(3));
    hand.turn();
    assertThat(probe.items()).startsWith(writes.get(2), writes.get(0));
    assertThat(probe.items()).doesNotContain(writes.get(1));
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
  }

  @Test
  void whatWasNotPostedIsNeverPosted() {
    open(1, 8);
    hand.nic(0).room = 2;
    emit(6);
    hand.fail(hand.inFlight().getFirst());
    hand.nic(0).room = 100;
    hand.turn();
    assertThat(hand.posted()).hasSize(2);
    hand.completeAll();
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
    assertThat(hand.posted()).hasSize(2);
  }

  @Test
  void whatComesAfterwardsIsNotTaken() {
    open(1, 8);
    emit(2);
    hand.fail(hand.inFlight().getFirst());
    emit(2);
    assertThat(hand.posted()).hasSize(2);
    hand.completeAll();
    assertThat(probe.terminals()).isEqualTo(1);
  }

  @Test
  void theFirstFailureCounts() {
    open(1, 8);
    emit(3);
    List<Piece> pieces = hand.inFlight();
    hand.nic(0).fail(pieces.get(1), 11, "first");
    hand.nic(0).fail(pieces.get(0), 12, "second");
    hand.turn();
    hand.nic(0).fail(pieces.get(2), 13, "third");
    hand.turn();
    assertThat(probe.error()).hasMessageContaining("first");
  }

  @Test
  void aPieceThatFailsWaitsForTheOthersOfItsTransfer() {
    open(4, 1);
    upstream.emit(write(1, 0, 1 << 20));
    hand.turn();
    assertThat(hand.inFlight()).hasSize(4);
    hand.fail(hand.inFlight().get(2));
    for (int left = 3; left > 0; left--) {
      probe.assertOpen();
      hand.complete(hand.inFlight().getFirst());
    }
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
    assertThat(probe.items()).isEmpty();
  }

  /** The failure is known with the first piece: from then on nothing is pulled, nothing posted. */
  @Test
  void theFirstPieceThatFailsStopsTheStream() {
    open(2, 8);
    upstream.emit(write(1, 0, 1 << 20));
    hand.turn();
    hand.nic(0).room = 0;
    hand.nic(1).room = 0;
    emit(3);
    hand.fail(hand.inFlight().getFirst());
    assertThat(upstream.isCancelled()).as("stop pulling").isTrue();
    hand.nic(0).room = 100;
    hand.nic(1).room = 100;
    hand.turn();
    assertThat(hand.posted()).as("stop posting").hasSize(2);
    probe.assertOpen();
    hand.completeAll();
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
  }

  @Test
  void piecesBehindAFailedOneAreNotPosted() {
    hand.backend.maxWriteBytes = 100;
    open(1, 1);
    hand.nic(0).room = 3;
    upstream.emit(write(1, 0, 1_000));
    hand.turn();
    hand.fail(hand.inFlight().get(1));
    hand.nic(0).room = 100;
    hand.turn();
    assertThat(hand.posted()).hasSize(3);
    hand.completeAll();
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
  }

  @Test
  void aLeadingPieceThatFailsKeepsTheTargetUntold() {
    hand.backend.maxWriteBytes = 100;
    open(2, 1);
    upstream.emit(WriteImm.of(source.slice(0, 2_000), hand.remote(1).slice(0, 2_000), Imm.of(1)));
    hand.turn();
    hand.fail(hand.inFlight().get(5));
    hand.settle();
    assertThat(hand.posted()).hasSize(12).noneMatch(Piece::counted);
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
  }

  @Test
  void onePartOfAScatterThatFailsStopsTheStream() {
    open(1, 8);
    upstream.emit(
        Scatter.of(
            Imm.of(1),
            new Part(source.slice(0, 1), hand.remote(1).slice(0, 1)),
            new Part(source.slice(0, 1), hand.remote(2).slice(0, 1))));
    hand.turn();
    hand.nic(0).room = 0;
    emit(2);
    hand.fail(hand.inFlight().getFirst());
    assertThat(upstream.isCancelled()).as("stop pulling").isTrue();
    hand.nic(0).room = 100;
    hand.turn();
    assertThat(hand.posted()).as("stop posting").hasSize(2);
    probe.assertOpen();
    hand.completeAll();
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
    assertThat(probe.items()).isEmpty();
  }

  @Test
  void aPartThatWasNotPostedDoesNotKeepAFailedScatterWaiting() {
    open(1, 8);
    hand.nic(0).room = 1;
    upstream.emit(
        Scatter.of(
            null,
            new Part(source.slice(0, 1), hand.remote(1).slice(0, 1)),
            new Part(source.slice(0, 1), hand.remote(2).slice(0, 1))));
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
    hand.nic(0).room = 100;
    hand.turn();
    assertThat(hand.posted()).hasSize(1);
  }

  @Test
  void otherStreamsGoOn() {
    open(1, 8);
    emit(2);
    Probe<Write> other =
        hand.probe(hand.engine().submit(Flux.range(0, 20).map(i -> write(1, i, 1))));
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    hand.settle();
    assertThat(probe.terminals()).isEqualTo(1);
    assertThat(other.assertComplete().count()).isEqualTo(20);
  }

  @Test
  void whatFailedCanBeSubmittedAgain() {
    open(1, 8);
    Write write = write(1, 0, 100);
    Probe<Write> failing = hand.probe(hand.engine().submit(write));
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    assertThat(failing.error()).isInstanceOf(TransferFailedException.class);
    Probe<Write> again = hand.probe(hand.engine().submit(write));
    hand.turn();
    hand.completeAll();
    assertThat(again.assertComplete().items()).containsExactly(write);
    probe.cancel();
  }

  @Test
  void whatCannotBePostedIsRejectedWhenTheRestIsBack() {
    open(1, 8);
    MemoryRegion closing = hand.region();
    Write late = Write.of(closing.slice(0, 1), hand.remote(1).slice(0, 1));
    hand.probe(closing.close());
    hand.turn();
    emit(2);
    upstream.emit(late);
    hand.turn();
    emit(1);
    assertThat(hand.posted()).hasSize(2);
    probe.assertOpen();
    hand.completeAll();
    assertThat(probe.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("closed");
  }
}
