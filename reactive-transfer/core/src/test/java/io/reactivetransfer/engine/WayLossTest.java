package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.Liveness;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One of our NICs loses its way to a peer: only what it carried there is touched. */
class WayLossTest {

  private static final int ROUNDS = 40;
  private static final Duration LIVENESS = Duration.ofSeconds(1);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;
  private Peer peer;

  @BeforeEach
  void open() {
    hand.open(2, o -> o.minPieceBytes(1).livenessDeadline(LIVENESS));
    source = hand.region();
    peer = hand.peer(1);
    hand.receive(1, hand.hello(1));
    hand.receive(2, hand.hello(2));
  }

  private Probe<Write> submit(int to, long length) {
    Probe<Write> probe =
        hand.probe(
            hand.engine()
                .submit(Write.of(source.slice(0, length), hand.remote(to).slice(0, length))));
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

  /** The next look of liveness; meanwhile the peer is heard. */
  private void nextLook() {
    hand.receive(1, ControlFrame.alive());
    hand.advance(LIVENESS.dividedBy(Liveness.ASKS_PER_DEADLINE));
    hand.receive(1, ControlFrame.alive());
  }

  private long firstTime(int nic) {
    return hand.nic(nic).posted().size();
  }

  @Test
  void whatItCarriedFailsAndTheRestGoesOn() {
    Probe<WriteImm> first = submitCounted(1); // over NIC 0
    Probe<Write> second = submit(1, 1); // over NIC 1
    Probe<Write> elsewhere = submit(2, 1); // over NIC 0
    Probe<PeerState> states = hand.probe(peer.state());
    hand.loseWay(0, peer);
    first.assertOpen(); // it may still arrive
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(first.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("told to lose its way");
    TransferException error = (TransferException) first.error();
    assertThat(error.nic()).isEqualTo("s0");
    assertThat(error.peer()).isEqualTo(peer.id());
    assertThat(error.code()).isEqualTo(105);
    second.assertOpen();
    elsewhere.assertOpen();
    hand.settle();
    second.assertComplete();
    elsewhere.assertComplete();
    assertThat(states.items()).noneMatch(PeerState.Lost.class::isInstance);
    assertThat(hand.control().disconnections()).isEmpty();
    states.cancel();
  }

  @Test
  void piecesAvoidItUntilTheNextLook() {
    hand.loseWay(0, peer);
    Probe<Write> avoiding = submit(1, 100_000);
    assertThat(hand.inFlight()).isNotEmpty().allMatch(piece -> piece.nic() == 1);
    Probe<Write> elsewhere = submit(2, 100_000);
    assertThat(hand.inFlight())
        .filteredOn(piece -> piece.target().peer().engine().equals(hand.peer(2).id()))
        .extracting(Piece::nic)
        .contains(0, 1);
    hand.settle();
    avoiding.assertComplete();
    elsewhere.assertComplete();
    hand.receive(1, ControlFrame.fenced(0, 0));
    nextLook();
    Probe<Write> again = submit(1, 100_000);
    assertThat(hand.inFlight()).extracting(Piece::nic).contains(0, 1);
    hand.settle();
    again.assertComplete();
  }

  /** What is enqueued for want of room avoids it, too. */
  @Test
  void whatWaitedForRoomAvoidsIt() {
    hand.nics().forEach(nic -> nic.room = 0);
    Probe<Write> waiting = submit(1, 100_000);
    hand.loseWay(0, peer);
    long before = firstTime(0);
    hand.nics().forEach(nic -> nic.room = 100);
    hand.turn();
    assertThat(firstTime(0)).isEqualTo(before);
    hand.settle();
    waiting.assertComplete();
  }

  @Test
  void whoHasNoWayLeftIsTriedOnAll() {
    hand.loseWay(0, peer);
    hand.loseWay(1, peer);
    Probe<Write> write = submit(1, 100_000);
    assertThat(hand.inFlight()).as("pieces on a way that the peer has yet to shut").isEmpty();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(hand.inFlight()).isNotEmpty().allMatch(piece -> piece.nic() == 0);
    hand.settle();
    write.assertComplete();
    hand.receive(1, ControlFrame.fenced(1, 1));
    Probe<Write> again = submit(1, 100_000);
    assertThat(hand.inFlight()).extracting(Piece::nic).contains(0, 1);
    hand.settle();
    again.assertComplete();
  }

  @Test
  void theOnlyWayThatIsLeftIsTriedThoughItIsLost() {
    hand.nic(0).breakDown(5, "it was pulled out");
    hand.turn();
    hand.loseWay(1, peer);
    hand.receive(1, ControlFrame.fenced(1, 1));
    Probe<Write> write = submit(1, 1);
    assertThat(hand.inFlight()).hasSize(1).allMatch(piece -> piece.nic() == 1);
    hand.settle();
    write.assertComplete();
  }

  @Test
  void aTransferThatItCarriedInPartWaitsForTheOtherParts() {
    Probe<WriteImm> write = submitCounted(200_000);
    hand.loseWay(1, peer);
    write.assertOpen();
    hand.settle();
    write.assertOpen();
    hand.receive(1, ControlFrame.fenced(1, 1));
    assertThat(write.error()).isInstanceOf(PeerUnreachableException.class);
  }

  @Test
  void claimsAndMessagesGoOn() {
    Probe<Void> claim = hand.probe(hand.engine().counter(Imm.of(4)).boundTo(peer).next(1));
    Probe<Void> message = hand.probe(hand.engine().send(peer, ByteBuffer.allocate(3)));
    hand.turn();
    hand.loseWay(0, peer);
    hand.loseWay(1, peer);
    claim.assertOpen();
    message.assertOpen();
    hand.receive(1, hand.credit(1, 1));
    message.assertComplete();
    hand.nic(1).arrive(WireImm.encode(4, 1));
    hand.turn();
    claim.assertComplete();
    assertThat(hand.control().sent(ControlFrame.HELLO)).as("nobody greets anew").hasSize(2);
  }

  /** What one NIC of a peer may do, in the middle of rounds of a barrier. */
  enum Failure {
    WAY_LOST {
      @Override
      void happens(EngineByHand hand) {
        hand.loseWay(0, hand.peer(1));
      }
    },
    NIC_OF_THE_PEER_FAILED {
      @Override
      void happens(EngineByHand hand) {
        hand.loseWay(0, hand.peer(1));
        hand.receive(1, ControlFrame.nicsFailed(1));
      }
    },
    NIC_OF_OURS_FAILED {
      @Override
      void happens(EngineByHand hand) {
        hand.nic(0).breakDown(5, "told to break");
        hand.turn();
      }
    };

    abstract void happens(EngineByHand hand);
  }

  @ParameterizedTest
  @EnumSource
  void roundsOfABarrierGoOnOnBothSides(Failure failure) {
    PeerGroup group = PeerGroup.of(peer, hand.peer(2));
    for (int round = 1; round <= ROUNDS; round++) {
      Probe<Void> barrier = hand.probe(hand.engine().barrier(group));
      hand.turn();
      if (round == ROUNDS / 2) {
        failure.happens(hand);
      }
      for (int number = 1; number <= 2; number++) {
        EngineId to = hand.peer(number).id();
        ByteBuffer told =
            ByteBuffer.wrap(
                hand.control().sent(ControlFrame.BARRIER).stream()
                    .filter(frame -> frame.to().equals(to))
                    .toList()
                    .getLast()
                    .content());
        EngineId id = new EngineId(told.getLong(), told.getLong());
        assertThat(told.getInt(told.position() + Integer.BYTES))
            .as("the round that peer %d was told of, once each", number)
            .isEqualTo(round);
        barrier.assertOpen();
        hand.receive(number, ControlFrame.barrier(id, hand.epoch(number), round, round));
      }
      barrier.assertComplete();
    }
    assertThat(hand.control().sent(ControlFrame.BARRIER)).hasSize(2 * ROUNDS);
    assertThat(hand.control().sent(ControlFrame.DISMISSAL)).isEmpty();
    assertThat(hand.control().disconnections()).isEmpty();
  }

  /** A stranger, or one that has only written here. */
  @Test
  void aWayToWhomNobodyKnowsIsNoMatter() {
    hand.nic(0).lose(new EngineId(100, 77), 1, "unknown");
    hand.turn();
    Probe<Write> write = submit(1, 1);
    hand.settle();
    write.assertComplete();
  }
}
