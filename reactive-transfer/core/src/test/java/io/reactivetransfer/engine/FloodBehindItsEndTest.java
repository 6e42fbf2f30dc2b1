package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Peer;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Rule 2.11 where NICs report a bounded amount in each poll: what had come of an origin when it is
 * gone, and was not reported yet, is gone with the rest if arrivals of it were lost, and else kept.
 */
class FloodBehindItsEndTest {

  private static final EngineId STRANGER = new EngineId(100, 77);
  private static final int ROOM = 4;

  /** An origin that loses more arrivals than that is given up. */
  private static final int MAX_LOST = 16_384;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  @BeforeEach
  void open() {
    hand.open(2, o -> o.maxUnclaimedImms(ROOM));
  }

  private void arrive(EngineId origin, int from, int count) {
    for (int imm = from; imm < from + count; imm++) {
      int each = imm;
      hand.nic(1).report(sink -> sink.immArrived(origin, WireImm.encode(each, 1), 0));
    }
  }

  private void assertNobodyPays() {
    assertThat(hand.stats().unclaimedImms()).isZero();
    Probe<Void> claim = hand.probe(hand.engine().counter(Imm.of(1_000_000)).next(1));
    hand.turn();
    claim.assertOpen();
    hand.nic(0).arrive(WireImm.encode(1_000_000, 1));
    hand.turn();
    claim.assertComplete();
  }

  @Test
  void aStrangerThatIsGivenUpLeavesNothing() {
    hand.nic(1).reportsPerPoll = 64;
    arrive(STRANGER, 0, ROOM + MAX_LOST + 500);
    hand.turn();
    assertThat(hand.control().disconnections()).hasSize(1);
    assertNobodyPays();
  }

  /** Nothing of it was lost by then. */
  @Test
  void norDoesOneThatIsGoneBeforeItsFloodIsReported() {
    hand.nic(1).reportsPerPoll = 1;
    Peer peer = hand.peer(77);
    hand.receive(77, hand.hello(77));
    arrive(peer.id(), 0, ROOM + 3);
    hand.lose(peer);
    assertThat(hand.stats().droppedImms()).isEqualTo(ROOM + 3);
    assertNobodyPays();
  }

  /** Few arrivals are no flood, whoever is gone. */
  @Test
  void whatFitsIsKept() {
    hand.nic(1).reportsPerPoll = 1;
    Peer peer = hand.peer(77);
    hand.receive(77, hand.hello(77));
    arrive(peer.id(), 0, ROOM);
    hand.lose(peer);
    assertThat(hand.stats().unclaimedImms()).isEqualTo(ROOM);
    Probe<Void> claim = hand.probe(hand.engine().counter(Imm.of(ROOM - 1)).next(1));
    hand.turn();
    claim.assertComplete();
  }

  /** What comes late of those that are gone does not keep others from their room. */
  @Test
  void whatFitsMakesRoomInTheEnd() {
    hand.nic(1).reportsPerPoll = 1;
    for (int number = 1; number <= 2 * ROOM; number++) {
      Peer peer = hand.peer(number);
      hand.receive(number, hand.hello(number));
      arrive(peer.id(), number * ROOM, ROOM);
      hand.lose(peer);
    }
    assertThat(hand.stats().unclaimedImms()).isLessThanOrEqualTo(ROOM * ROOM);
    arrive(STRANGER, 1_000, 1);
    hand.turn();
    Probe<Void> claim = hand.probe(hand.engine().counter(Imm.of(1_000)).next(1));
    hand.turn();
    claim.assertComplete();
  }

  /** Whoever is back meanwhile has what it had sent counted. */
  @Test
  void whoIsBackMeanwhileLosesNothingMore() {
    hand.nic(1).reportsPerPoll = 1;
    Peer peer = hand.peer(77);
    hand.receive(77, hand.hello(77));
    arrive(peer.id(), 0, ROOM + 3);
    hand.control().lose(peer.id(), 104, "told to lose it");
    hand.control().receive(peer.id(), hand.hello(77, 2, hand.epoch(77)));
    hand.turn();
    assertThat(hand.stats().unclaimedImms()).isEqualTo(ROOM);
  }
}
