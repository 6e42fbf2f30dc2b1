package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.ScriptedNic.Remote;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A NIC that fails takes its own pieces with it, and the engine goes on with the others. */
class NicFailureTest {

  private static final String WHY = "it was pulled out";

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;

  private void open(int nics) {
    hand.open(nics, o -> o.minPieceBytes(1));
    source = hand.region();
  }

  private Probe<Write> submit(int peer, long length) {
    Probe<Write> probe =
        hand.probe(
            hand.engine()
                .submit(Write.of(source.slice(0, length), hand.remote(peer).slice(0, length))));
    hand.turn();
    return probe;
  }

  private Probe<WriteImm> submitCounted(long length) {
    Probe<WriteImm> probe =
        hand.probe(
            hand.engine()
                .submit(
                    WriteImm.of(
                        source.slice(0, length), hand.remote(1).slice(0, length), Imm.of(7))));
    hand.turn();
    return probe;
  }

  private void breakNic(int nic) {
    hand.nic(nic).breakDown(5, WHY);
    hand.turn();
  }

  private static void assertRetryable(Throwable error, boolean retryable) {
    assertThat(error).isInstanceOf(TransferFailedException.class).hasMessageContaining(WHY);
    assertThat(((TransferException) error).isRetryable()).isEqualTo(retryable);
    assertThat(((TransferException) error).code()).isEqualTo(5);
  }

  @Test
  void whatItCarriedFailsAndTheRestGoesOn() {
    open(3);
    Probe<Write> first = submit(1, 1);
    Probe<WriteImm> second = submitCounted(1);
    Probe<Write> third = submit(1, 1);
    breakNic(1);
    second.assertOpen(); // it may still arrive
    hand.receive(1, ControlFrame.fenced(1, 1));
    assertRetryable(second.error(), true);
    first.assertOpen();
    third.assertOpen();
    hand.settle();
    first.assertComplete();
    third.assertComplete();
  }

  @Test
  void whatAFailedNicSaysOfAPeerDoesNotCount() {
    open(2);
    breakNic(1);
    Probe<Write> write = submit(1, 1);
    hand.nic(1).lose(hand.peer(1).id(), 7, "told by a NIC that has failed");
    hand.turn();
    write.assertOpen();
    hand.settle();
    write.assertComplete();
  }

  @Test
  void laterWritesTakeTheOthers() {
    open(3);
    breakNic(2);
    Probe<Write> write = submit(1, 300_000);
    assertThat(hand.nic(2).posted()).isEmpty();
    assertThat(hand.posted()).hasSize(3);
    hand.settle();
    write.assertComplete();
    assertThat(hand.engine().nics()).extracting(Nic::name).containsExactly("s0", "s1");
  }

  @Test
  void aTransferThatItCarriedInPartWaitsForTheOtherParts() {
    open(2);
    Probe<WriteImm> write = submitCounted(200_000);
    hand.nic(1).breakDown(5, WHY);
    hand.turn();
    write.assertOpen();
    hand.settle();
    write.assertOpen();
    hand.receive(1, ControlFrame.fenced(1, 1));
    assertRetryable(write.error(), true);
  }

  @Test
  void thePeersAreTold() {
    open(3);
    submit(1, 1);
    hand.settle();
    breakNic(2);
    hand.turn();
    assertThat(hand.control().sent(ControlFrame.NICS_FAILED))
        .singleElement()
        .satisfies(frame -> assertThat(frame.content()).containsExactly(0b100));
  }

  /** Messages do not go over NICs, so that no peer is lost with one, be it the first. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void noPeerIsLostWithIt(int failing) {
    open(2);
    List<Probe<WriteImm>> writes = List.of(submitCounted(1), submitCounted(1)); // one over each
    Probe<PeerState> states = hand.probe(hand.peer(1).state());
    Probe<Void> claim = hand.probe(hand.engine().counter(Imm.of(4)).boundTo(hand.peer(1)).next(1));
    Probe<Void> message = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(3)));
    hand.turn();
    breakNic(failing);
    hand.receive(1, ControlFrame.fenced(failing, failing));
    assertRetryable(writes.get(failing).error(), true);
    hand.settle();
    writes.get(1 - failing).assertComplete();
    assertThat(states.items()).noneMatch(PeerState.Lost.class::isInstance);
    hand.receive(1, hand.credit(1, 1));
    message.assertComplete();
    hand.nic(1 - failing).arrive(WireImm.encode(4, 1));
    hand.turn();
    claim.assertComplete();
    assertThat(hand.control().sent(ControlFrame.HELLO)).as("nobody greets anew").hasSize(2);
    states.cancel();
  }

  @Test
  void theLastOneClosesTheEngine() {
    open(2);
    breakNic(0);
    Probe<Write> write = submit(1, 1);
    breakNic(1);
    hand.turn();
    assertThat(write.error()).isInstanceOf(TransferFailedException.class);
    assertThat(((TransferException) write.error()).isRetryable()).isFalse();
    assertThat(hand.engine().isClosed()).isTrue();
  }

  @Test
  void itIsBelievedOnce() {
    open(2);
    breakNic(1);
    breakNic(1);
    assertThat(hand.engine().nics()).hasSize(1);
    assertThat(hand.engine().isClosed()).isFalse();
  }

  // ---- NICs of a peer ----

  private void tell(Peer peer, int failed) {
    hand.control().receive(peer.id(), ControlFrame.nicsFailed(failed));
    hand.turn();
  }

  @Test
  void whatGoesToANicOfThePeerThatFailedFailsAndLaterTakesAnother() {
    open(2);
    Probe<Write> first = submit(1, 1); // over NIC 0
    Probe<WriteImm> second = submitCounted(1); // over NIC 1
    tell(hand.peer(1), 0b10);
    hand.turn();
    assertThat(second.error()).isInstanceOf(TransferFailedException.class);
    assertThat(((TransferException) second.error()).isRetryable()).isTrue();
    first.assertOpen();
    Probe<Write> later = submit(1, 200_000);
    List<Piece> pieces = hand.posted().stream().filter(piece -> piece.length() > 1).toList();
    assertThat(pieces)
        .extracting(piece -> piece.target().peer())
        .extracting(Remote::address)
        .containsOnly("peer1nic0");
    assertThat(pieces).extracting(piece -> piece.target().key()).containsOnly("key0");
    assertThat(pieces).extracting(Piece::nic).containsExactlyInAnyOrder(0, 1);
    hand.settle();
    first.assertComplete();
    later.assertComplete();
  }

  @Test
  void whatWasNotPostedYetTakesAnotherToo() {
    open(2);
    hand.nics().forEach(nic -> nic.room = 0);
    Probe<Write> waiting = submit(1, 200_000);
    tell(hand.peer(1), 0b10);
    hand.nics().forEach(nic -> nic.room = 10);
    hand.turn();
    assertThat(hand.posted())
        .extracting(piece -> piece.target().key())
        .containsExactly("key0", "key0");
    hand.settle();
    waiting.assertComplete();
  }

  /** Of its first pieces all are out, and all of them over the NIC that works. */
  @Test
  void theSecondPhaseOfALongWriteTakesAnotherToo() {
    hand.backend.maxWriteBytes = 1_000;
    open(2);
    RemoteSlice target = hand.remote(1).slice(0, 12_000);
    Probe<WriteImm> write =
        hand.probe(hand.engine().submit(WriteImm.of(source.slice(0, 12_000), target, Imm.of(3))));
    hand.turn();
    List<Piece> first = hand.inFlight();
    assertThat(first).hasSize(4).noneMatch(Piece::counted);
    first.stream().filter(piece -> piece.nic() == 1).forEach(hand::complete);
    tell(hand.peer(1), 0b10);
    hand.completeAll();
    assertThat(hand.inFlight())
        .hasSize(8)
        .extracting(piece -> piece.target().key())
        .containsOnly("key0");
    hand.settle();
    write.assertComplete();
  }

  @Test
  void aPeerWhoseFirstNicFailedIsNotLost() {
    open(2);
    Probe<WriteImm> first = submitCounted(1); // over NIC 0
    Probe<Write> second = submit(1, 1); // over NIC 1
    Probe<Void> message = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    hand.turn();
    tell(hand.peer(1), 0b01);
    hand.settle();
    message.assertOpen();
    hand.receive(1, hand.credit(1, 1));
    message.assertComplete();
    assertThat(first.error()).isInstanceOf(TransferFailedException.class);
    second.assertComplete();
    Probe<Write> again = submit(1, 1);
    hand.settle();
    again.assertComplete();
  }

  @Test
  void nonsenseIsIgnored() {
    open(2);
    Probe<Write> write = submit(1, 1);
    tell(hand.peer(1), 0);
    tell(hand.peer(1), 0b11); // all: then it could not have told
    tell(hand.peer(1), 0b11110000);
    hand.control()
        .receive(hand.peer(1).id(), ByteBuffer.allocate(1).put(ControlFrame.NICS_FAILED).flip());
    hand.turn();
    hand.settle();
    write.assertComplete();
  }

  /** Then one of this engine's NICs knows the peer, and the other does not. */
  @Test
  void aPeerThatIsKnownInPartOnlyIsGivenUpAllTheSame() {
    open(2);
    hand.backend.peerNics = 3;
    RemoteRegion remote = hand.remote(5);
    MemoryRegion source = hand.region();
    Probe<Write> write =
        hand.probe(hand.engine().submit(Write.of(source.slice(0, 100), remote.slice(0, 100))));
    hand.turn();
    assertThat(hand.inFlight()).hasSize(1);
    hand.control().receive(hand.peer(5).id(), hand.hello(5, 1, 0));
    hand.turn();
    BackendException unknown = new BackendException(0, "no such address");
    hand.nics().forEach(nic -> nic.resolveFailure = unknown);
    hand.control().receive(hand.peer(5).id(), ControlFrame.nicsFailed(2));
    hand.turn();
    for (int i = 0; i < 100; i++) {
      hand.advance(Duration.ofSeconds(1));
    }
    assertThat(write.error()).isInstanceOf(PeerUnreachableException.class);
    assertThat(hand.stats().writesInFlight()).isZero();
  }
}
