package io.reactivetransfer.engine.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Peer;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who was lost and is back has lost nothing: others that need room get none of its. */
class ReturnedOriginTest {

  private static final int ROOM = 4;
  private static final int ITS = 7;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private void arrive(EngineId origin, int imm) {
    hand.nic(0).report(sink -> sink.immArrived(origin, WireImm.encode(imm, 1), 0));
    hand.turn();
  }

  private void greet(Peer peer, int epoch) {
    hand.control().receive(peer.id(), hand.hello(1, epoch, hand.epoch(1)));
    hand.turn();
  }

  @Test
  void keepsWhatItHasWritten() {
    hand.open(1, o -> o.maxUnclaimedImms(ROOM));
    Peer peer = hand.peer(1);
    greet(peer, 1);
    arrive(peer.id(), ITS);
    hand.lose(peer);
    greet(peer, 2);
    arrive(peer.id(), ITS);
    for (int imm = 100; imm < 100 + ROOM * ROOM; imm++) { // one more than there is room for
      arrive(new EngineId(100, 50 + imm % ROOM), imm);
    }
    assertThat(hand.stats().droppedImms()).isEqualTo(1);
    Probe<Void> claim = hand.probe(hand.engine().counter(Imm.of(ITS)).next(2));
    hand.turn();
    claim.assertComplete();
  }
}
