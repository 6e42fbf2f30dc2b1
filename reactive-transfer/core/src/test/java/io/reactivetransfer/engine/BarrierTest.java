package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferRejectedException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A barrier completes when every member has entered it, and not before. */
class BarrierTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private PeerGroup group;

  @BeforeEach
  void open() {
    hand.open(1);
    group = PeerGroup.of(hand.peer(1), hand.peer(2));
  }

  private Probe<Void> enter() {
    Probe<Void> probe = hand.probe(hand.engine().barrier(group));
    hand.turn();
    return probe;
  }

  /** The id of the group, as this engine tells it. */
  private EngineId id() {
    ByteBuffer frame = ByteBuffer.wrap(hand.nic(0).sent(ControlFrame.BARRIER).getFirst().content());
    return new EngineId(frame.getLong(), frame.getLong());
  }

  private void entered(int peer, EngineId group, int round) {
    hand.nic(0).receive(hand.peer(peer).id(), ControlFrame.barrier(group, round));
    hand.turn();
  }

  @Test
  void waitsForEveryMember() {
    Probe<Void> probe = enter();
    assertThat(hand.nic(0).sent(ControlFrame.BARRIER)).hasSize(2);
    entered(1, id(), 1);
    probe.assertOpen();
    entered(2, id(), 1);
    probe.assertComplete();
  }

  @Test
  void whoCameEarlierIsRemembered() {
    Probe<Void> first = enter();
    EngineId id = id();
    entered(1, id, 1);
    entered(1, id, 2);
    entered(2, id, 1);
    first.assertComplete();
    Probe<Void> second = enter();
    second.assertOpen();
    entered(2, id, 2);
    second.assertComplete();
  }

  @Test
  void failsWhenAMemberIsLost() {
    Probe<Void> probe = enter();
    entered(1, id(), 1);
    hand.lose(hand.peer(2));
    assertThat(probe.error()).isInstanceOf(PeerUnreachableException.class);
  }

  @Test
  void triesAgainWithAMemberThatWasLost() {
    enter();
    EngineId id = id();
    hand.lose(hand.peer(2));
    Probe<Void> dead = enter();
    hand.lose(hand.peer(2));
    assertThat(dead.error()).isInstanceOf(PeerUnreachableException.class);
    Probe<Void> back = enter();
    entered(1, id, 3);
    back.assertOpen();
    entered(2, id, 3);
    back.assertComplete();
  }

  @Test
  void endsWhenTheEngineCloses() {
    Probe<Void> probe = enter();
    hand.close();
    assertThat(probe.error()).isInstanceOf(TransferRejectedException.class);
  }

  @Test
  void aCancelledEntryHarmsNobody() {
    Probe<Void> left = enter();
    left.cancel();
    hand.turn();
    Probe<Void> second = enter();
    entered(1, id(), 2);
    entered(2, id(), 2);
    second.assertComplete();
  }

  @Test
  void membersInAnyOrderAreTheSameGroup() {
    enter();
    EngineId id = id();
    entered(1, id, 2);
    entered(2, id, 2);
    group = PeerGroup.of(hand.peer(2), hand.peer(1));
    enter().assertComplete();
  }

  @Test
  void survivesMalformedFrames() {
    hand.nic(0).receive(hand.peer(1).id(), ByteBuffer.wrap(new byte[] {ControlFrame.BARRIER, 1}));
    hand.turn();
    enter().assertOpen();
  }
}
