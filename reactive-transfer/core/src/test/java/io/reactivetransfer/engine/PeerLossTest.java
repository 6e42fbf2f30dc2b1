package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** Rule 7: a lost peer is a terminal signal, for what concerns it and for nothing else. */
class PeerLossTest {

  private static final Imm IMM = Imm.of(3);

  /** The number that the memory of each peer has. */
  private static final long REGION = 1;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;
  private Peer lost;
  private Peer other;

  @BeforeEach
  void open() {
    hand.open(2, o -> o.window(16));
    source = hand.region();
    lost = hand.peer(1);
    other = hand.peer(2);
  }

  private Write write(int peer) {
    return Write.of(source.slice(0, 10), hand.remote(peer).slice(0, 10));
  }

  private Probe<Write> submit(int peer, int count) {
    Probe<Write> probe =
        hand.probe(hand.engine().submit(Flux.range(0, count).map(i -> write(peer))));
    hand.turn();
    return probe;
  }

  private void assertLost(Throwable error) {
    assertThat(error)
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("told to lose it");
    PeerUnreachableException loss = (PeerUnreachableException) error;
    assertThat(loss.peer()).isEqualTo(lost.id());
    assertThat(loss.nic()).as("none of our NICs is to blame").isNull();
    assertThat(loss.code()).isEqualTo(104);
  }

  @Test
  void failsWhatIsOnItsWayThereAndNothingElse() {
    Probe<Write> failing = submit(1, 5);
    Probe<Write> going = submit(2, 5);
    hand.lose(lost);
    assertLost(failing.error());
    going.assertOpen();
    hand.settle();
    assertThat(going.assertComplete().count()).isEqualTo(5);
  }

  /** Nobody can ask it for another descriptor. */
  @Test
  void failsWhatGoesToARegionThatWasRevokedBefore() {
    submit(1, 1);
    hand.settle();
    hand.receive(1, ControlFrame.revoke(REGION));
    assertThat(submit(1, 1).error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContaining("its owner has revoked");
    hand.lose(lost);
    assertLost(submit(1, 1).error());
  }

  @Test
  void failsWhatWasNotPosted() {
    hand.nics().forEach(nic -> nic.room = 0);
    Probe<Write> failing = submit(1, 5);
    Probe<Write> going = submit(2, 5);
    hand.lose(lost);
    assertLost(failing.error());
    hand.nics().forEach(nic -> nic.room = 100);
    hand.turn();
    assertThat(hand.posted())
        .hasSize(5)
        .allMatch(piece -> piece.target().peer().engine().equals(other.id()));
    hand.settle();
    going.assertComplete();
  }

  /** The loss is told before the failures of the writes; the error waits for the last of these. */
  @Test
  void theErrorWaitsForWhatIsStillOut() {
    Probe<Write> failing = submit(1, 2);
    hand.nics().forEach(nic -> nic.failsWhatIsGivenUp = false);
    hand.lose(lost);
    failing.assertOpen();
    List<Piece> pieces = hand.inFlight();
    hand.nic(pieces.get(0).nic()).fail(pieces.get(0), 104, "gone");
    hand.turn();
    failing.assertOpen();
    hand.nic(pieces.get(1).nic()).complete(pieces.get(1));
    hand.turn();
    assertLost(failing.error());
  }

  @Test
  void stopsAStreamThatHasOnlyOneWriteThere() {
    Upstream<Write> upstream = new Upstream<>();
    Probe<Write> probe = hand.probe(hand.engine().submit(upstream));
    upstream.emit(write(1));
    upstream.emit(write(2));
    hand.turn();
    hand.lose(lost);
    assertThat(upstream.isCancelled()).as("stop pulling").isTrue();
    probe.assertOpen();
    hand.settle();
    assertLost(probe.error());
  }

  @Test
  void failsASignalToAGroupWithIt() {
    Probe<Signal> probe =
        hand.probe(hand.engine().submit(Signal.of(PeerGroup.of(other, lost), IMM)));
    hand.turn();
    hand.lose(lost);
    probe.assertOpen();
    hand.settle();
    assertLost(probe.error());
  }

  @Test
  void failsBoundClaimsAndNoOthers() {
    Probe<Void> bound = hand.probe(hand.engine().counter(IMM).boundTo(lost).next(1));
    Probe<Long> rounds =
        hand.probe(hand.engine().counter(IMM).boundTo(List.of(other, lost)).every(1));
    Probe<Void> boundToOther = hand.probe(hand.engine().counter(IMM).boundTo(other).next(1));
    Probe<Void> free = hand.probe(hand.engine().counter(IMM).next(1));
    hand.turn();
    hand.lose(lost);
    assertLost(bound.error());
    assertLost(rounds.error());
    boundToOther.assertOpen();
    free.assertOpen();
    hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    hand.turn();
    boundToOther.assertComplete();
    free.assertComplete();
  }

  @Test
  void failsAtOnceAClaimThatIsBoundLater() {
    hand.lose(lost);
    Probe<Void> late = hand.probe(hand.engine().counter(IMM).boundTo(lost).next(1));
    hand.turn();
    assertLost(late.error());
  }

  @Test
  void doesNotFailALaterClaimOnWhatHasArrived() {
    hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    hand.lose(lost);
    Probe<Void> late = hand.probe(hand.engine().counter(IMM).boundTo(lost).next(1));
    hand.turn();
    late.assertComplete();
  }

  @Test
  void failsMessagesThatWait() {
    Probe<Void> toLost = hand.probe(hand.engine().send(lost, ByteBuffer.allocate(3)));
    Probe<Void> toOther = hand.probe(hand.engine().send(other, ByteBuffer.allocate(3)));
    hand.turn();
    hand.lose(lost);
    assertLost(toLost.error());
    toOther.assertOpen();
  }

  @Test
  void thePeerWorksAgainAfterwards() {
    Probe<Write> before = submit(1, 3);
    hand.lose(lost);
    assertLost(before.error());
    Probe<Write> after = submit(1, 3);
    hand.settle();
    assertThat(after.assertComplete().count()).isEqualTo(3);
    Probe<Void> bound = hand.probe(hand.engine().counter(IMM).boundTo(lost).next(1));
    hand.turn();
    bound.assertOpen(); // something has reached it since
    hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    hand.turn();
    bound.assertComplete();
  }

  @Test
  void canBeLostAgain() {
    for (int i = 0; i < 3; i++) {
      Probe<Write> probe = submit(1, 3);
      hand.lose(lost);
      assertLost(probe.error());
    }
    hand.lose(lost);
  }
}
