package io.reactivetransfer.engine.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who writes without having greeted is no peer, and is given up all the same. */
class FloodOfAStrangerTest {

  private static final EngineId STRANGER = new EngineId(100, 77);
  private static final int ROOM = 4;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private void arrive(int imm) {
    hand.nic(0).report(sink -> sink.immArrived(STRANGER, WireImm.encode(imm, 1), 0));
  }

  @Test
  void isEndedAndNobodyElsePaysForIt() {
    hand.open(1, o -> o.maxUnclaimedImms(ROOM));
    for (int imm = 0; imm <= ROOM + Unclaimed.MAX_LOST; imm++) {
      arrive(imm);
    }
    hand.turn();
    assertThat(hand.control().disconnections())
        .singleElement()
        .satisfies(each -> assertThat(each.peer()).isEqualTo(STRANGER));
    assertThat(hand.stats().unclaimedImms()).isZero();
    Probe<Void> claim = hand.probe(hand.engine().counter(Imm.of(1_000_000)).next(1));
    hand.turn();
    claim.assertOpen();
    hand.nic(0).arrive(WireImm.encode(1_000_000, 1));
    hand.turn();
    claim.assertComplete();
  }

  /** Its NIC reports what came behind that in the same poll. */
  @Test
  void aPeerIsLostOnceHoweverMuchIsLostOfIt() {
    List<Peer> lost = new ArrayList<>();
    EngineRecorder recorder =
        new EngineRecorder() {
          @Override
          public void peerLost(Peer peer, PeerUnreachableException reason) {
            lost.add(peer);
          }
        };
    hand.open(1, o -> o.maxUnclaimedImms(ROOM).recorder(recorder));
    Peer peer = hand.peer(77);
    hand.receive(77, hand.hello(77));
    for (int imm = 0; imm <= ROOM + Unclaimed.MAX_LOST + 200; imm++) {
      arrive(imm);
    }
    hand.turn();
    assertThat(lost).containsExactly(peer);
    assertThat(hand.control().disconnections()).hasSize(1);
  }
}
