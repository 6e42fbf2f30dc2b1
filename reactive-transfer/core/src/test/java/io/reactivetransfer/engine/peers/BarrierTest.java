package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.ScriptedControl.Frame;
import io.reactivetransfer.engine.base.Probe;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A barrier completes when every member has entered it, and not before. */
class BarrierTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final Map<Integer, Integer> numbers = new HashMap<>();
  private PeerGroup group;

  @BeforeEach
  void open() {
    hand.open(1);
    group = PeerGroup.of(hand.peer(1), hand.peer(2));
    hand.receive(1, hand.hello(1));
    hand.receive(2, hand.hello(2));
  }

  private Probe<Void> enter() {
    Probe<Void> probe = hand.probe(hand.engine().barrier(group));
    hand.turn();
    return probe;
  }

  /** The id of the group, as this engine tells it. */
  private EngineId id() {
    ByteBuffer frame =
        ByteBuffer.wrap(hand.control().sent(ControlFrame.BARRIER).getFirst().content());
    return new EngineId(frame.getLong(), frame.getLong());
  }

  /** A peer enters a group's next round. */
  private void entered(int peer, EngineId group) {
    hand.receive(
        peer,
        ControlFrame.barrier(group, hand.epoch(peer), numbers.merge(peer, 1, Integer::sum), 0));
  }

  @Test
  void waitsForEveryMember() {
    Probe<Void> probe = enter();
    assertThat(hand.control().sent(ControlFrame.BARRIER)).hasSize(2);
    entered(1, id());
    probe.assertOpen();
    entered(2, id());
    probe.assertComplete();
  }

  @Test
  void whoCameEarlierIsRemembered() {
    Probe<Void> first = enter();
    EngineId id = id();
    entered(1, id);
    entered(1, id);
    entered(2, id);
    first.assertComplete();
    Probe<Void> second = enter();
    second.assertOpen();
    entered(2, id);
    second.assertComplete();
  }

  @Test
  void failsWhenAMemberIsLost() {
    Probe<Void> probe = enter();
    entered(1, id());
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
    for (int round = 0; round < 3; round++) {
      back.assertOpen();
      entered(1, id);
      entered(2, id);
    }
    back.assertComplete();
  }

  @Test
  void whatAMemberMayNotHaveHeardIsToldAgain() {
    enter();
    EngineId id = id();
    entered(2, id);
    hand.lose(hand.peer(2));
    assertThat(toldTo(2)).containsExactly(1);
    hand.receive(2, hand.hello(2));
    assertThat(toldTo(2)).as("it has not said that it knows").containsExactly(1, 1);
    hand.receive(2, ControlFrame.barrier(id, hand.epoch(2), 2, 1));
    hand.lose(hand.peer(2));
    hand.receive(2, hand.hello(2));
    enter();
    assertThat(toldTo(2)).as("it has said so").containsExactly(1, 1, 2);
  }

  /** The numbers of the entries that a peer was told. */
  private List<Integer> toldTo(int peer) {
    return hand.control().sent(ControlFrame.BARRIER).stream()
        .filter(frame -> frame.to().equals(hand.peer(peer).id()))
        .map(frame -> ByteBuffer.wrap(frame.content()).getInt(EngineId.BYTES + Integer.BYTES))
        .toList();
  }

  @Test
  void whatIsToldTwiceCountsOnce() {
    enter();
    EngineId id = id();
    entered(1, id);
    numbers.put(1, 0);
    entered(1, id);
    entered(2, id);
    enter().assertOpen();
    entered(2, id);
    assertThat(hand.control().sent(ControlFrame.BARRIER)).hasSize(4);
    numbers.put(1, 1);
    Probe<Void> third = enter();
    entered(1, id);
    entered(1, id);
    entered(2, id);
    third.assertComplete();
  }

  @Test
  void aMemberThatHasForgottenThisEngineBeginsAnewWithIt() {
    Probe<Void> waiting = enter();
    EngineId id = id();
    entered(1, id);
    hand.receive(2, hand.hello(2, 2, 0));
    assertThat(waiting.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("forgotten");
    Probe<Void> again = enter();
    entered(1, id);
    again.assertOpen();
    numbers.put(2, 0);
    entered(2, id);
    again.assertComplete();
  }

  @Test
  void groupsThatWereUsedLeaveNothing() {
    for (int i = 10; i < 1_010; i++) {
      PeerGroup pair = PeerGroup.of(hand.peer(1), hand.peer(i));
      hand.receive(i, hand.hello(i));
      Probe<Void> probe = hand.probe(hand.engine().barrier(pair));
      hand.turn();
      ByteBuffer frame =
          ByteBuffer.wrap(hand.control().sent(ControlFrame.BARRIER).getLast().content());
      EngineId id = new EngineId(frame.getLong(), frame.getLong());
      int known = ByteBuffer.wrap(lastTo(1).content()).getInt(EngineId.BYTES + Integer.BYTES);
      hand.receive(1, ControlFrame.barrier(id, hand.epoch(1), known, known));
      hand.receive(i, ControlFrame.barrier(id, hand.epoch(i), 1, 1));
      probe.assertComplete();
      hand.control().forgetSent();
    }
    Barriers barriers = hand.barriers();
    assertThat(barriers.groups()).isZero();
    assertThat(((PeerLink) hand.peer(1)).mail.barriers.unacknowledged()).isZero();
  }

  private Frame lastTo(int peer) {
    return hand.control().sent(ControlFrame.BARRIER).stream()
        .filter(frame -> frame.to().equals(hand.peer(peer).id()))
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  @Test
  void whoEntersTooManyGroupsThatNobodyEntersHereIsGivenUpAndTold() {
    for (int i = 0; i < Barriers.MAX_LEAD; i++) {
      entered(1, new EngineId(7, i));
    }
    Probe<Void> innocent = enter();
    EngineId id = id();
    entered(2, id);
    Barriers barriers = hand.barriers();
    assertThat(barriers.groups()).isEqualTo(Barriers.MAX_LEAD + 1);
    entered(1, new EngineId(8, 0));
    assertThat(innocent.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("1024");
    assertThat(hand.control().sent(ControlFrame.DISMISSAL)).hasSize(1);
    assertThat(barriers.groups()).isZero();
    group = PeerGroup.of(hand.peer(2));
    Probe<Void> others = enter();
    entered(2, lastGroup());
    others.assertComplete();
  }

  /** As over a backend that has to connect anew, and reports what was given up as lost. */
  @Test
  void whoWasGivenUpCanEnterAgainWhenItIsBack() {
    hand.control().sendRoom = 0;
    for (int i = 0; i <= Barriers.MAX_LEAD; i++) {
      entered(1, new EngineId(7, i));
    }
    hand.lose(hand.peer(1));
    Barriers barriers = hand.barriers();
    assertThat(barriers.groups()).isZero();
    hand.control().sendRoom = Integer.MAX_VALUE;
    hand.receive(1, hand.hello(1, 2, 0));
    numbers.clear();
    group = PeerGroup.of(hand.peer(1));
    Probe<Void> back = enter();
    entered(1, new EngineId(8, 0));
    back.assertOpen();
    numbers.put(1, 1);
    entered(1, lastGroupTo(1));
    back.assertComplete();
  }

  /** Its NIC is shutting it when it is given up and forgotten, both in the same turn. */
  @Test
  void whoAsksToBeShutAndIsForgottenAtOnceHarmsNobody() {
    for (int i = 0; i < Barriers.MAX_LEAD; i++) {
      entered(1, new EngineId(7, i));
    }
    hand.control().peersGreet = false; // it would be met anew at once
    hand.control().receive(hand.peer(1).id(), ControlFrame.fence(0, 0));
    entered(1, new EngineId(7, Barriers.MAX_LEAD));
    assertThat(hand.engine().isClosed()).isFalse();
    assertThat(hand.control().sent(ControlFrame.DISMISSAL)).hasSize(1);
    assertThat(hand.nic(0).remotes()).as("NICs of peers that are resolved").isEqualTo(1);
    group = PeerGroup.of(hand.peer(2));
    Probe<Void> others = enter();
    entered(2, lastGroup());
    others.assertComplete();
  }

  /** To be forgotten once more would end what was begun with it since. */
  @Test
  void whoIsMetAnewBeforeItWasToldIsNotDismissed() {
    hand.control().sendRoom = 0;
    for (int i = 0; i <= Barriers.MAX_LEAD; i++) {
      entered(1, new EngineId(7, i));
    }
    group = PeerGroup.of(hand.peer(1));
    Probe<Void> back = enter();
    hand.control().sendRoom = Integer.MAX_VALUE;
    hand.turn();
    assertThat(hand.control().sent(ControlFrame.DISMISSAL)).isEmpty();
    back.assertOpen();
  }

  private EngineId lastGroupTo(int peer) {
    ByteBuffer frame = ByteBuffer.wrap(lastTo(peer).content());
    return new EngineId(frame.getLong(), frame.getLong());
  }

  private EngineId lastGroup() {
    ByteBuffer frame = ByteBuffer.wrap(lastTo(2).content());
    return new EngineId(frame.getLong(), frame.getLong());
  }

  @Test
  void oneMoreRoundThatAPeerHasNotEnteredIsRejected() {
    for (int i = 0; i < Barriers.MAX_LEAD; i++) {
      Probe<Void> round = enter();
      round.cancel();
      hand.turn();
    }
    assertThat(enter().error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("1024");
    entered(1, id());
    entered(2, id());
    enter().assertOpen();
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
    for (int round = 0; round < 2; round++) {
      second.assertOpen();
      entered(1, id());
      entered(2, id());
    }
    second.assertComplete();
  }

  @Test
  void membersInAnyOrderAreTheSameGroup() {
    enter();
    EngineId id = id();
    for (int round = 0; round < 2; round++) {
      entered(1, id);
      entered(2, id);
    }
    group = PeerGroup.of(hand.peer(2), hand.peer(1));
    enter().assertComplete();
  }

  @Test
  void survivesMalformedFrames() {
    hand.control()
        .receive(hand.peer(1).id(), ByteBuffer.wrap(new byte[] {ControlFrame.BARRIER, 1}));
    hand.turn();
    enter().assertOpen();
  }

  /** Sixty-four engines have entered as many groups as they may: who comes now has done nothing. */
  @Test
  void whoFillsTheGroupsIsGivenUpAndNotWhoComesLast() {
    for (int peer = 10; peer < 10 + Barriers.MAX_GROUPS / Barriers.MAX_LEAD; peer++) {
      hand.receive(peer, hand.hello(peer));
      for (int i = 0; i < Barriers.MAX_LEAD; i++) {
        hand.control()
            .receive(
                EngineByHand.addressOf(peer).engine(),
                ControlFrame.barrier(new EngineId(peer, i), 0, i + 1, 0));
      }
      hand.turn();
    }
    Barriers barriers = hand.barriers();
    assertThat(barriers.groups()).isEqualTo(Barriers.MAX_GROUPS);
    entered(1, new EngineId(999, 1));
    assertThat(hand.control().sent(ControlFrame.DISMISSAL))
        .hasSize(1)
        .noneMatch(frame -> frame.to().equals(hand.peer(1).id()));
    assertThat(barriers.groups()).isLessThan(Barriers.MAX_GROUPS);
    assertThat(((PeerLink) hand.peer(1)).mail.barriers.ahead()).isEqualTo(1);
  }
}
