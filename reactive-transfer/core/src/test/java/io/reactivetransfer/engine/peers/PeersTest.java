package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whom an engine remembers, and that nobody notices whom it has forgotten. */
class PeersTest {

  private static final int STRANGERS = 400;
  private static final int FIRST_STRANGER = 1_000;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private Peers peers;

  @BeforeEach
  void open() {
    hand.open(1, o -> o.messageCredits(4));
    peers = hand.peers();
  }

  private void greetAndLeave(int number) {
    hand.receive(number, hand.hello(number, 1, 0));
    hand.control().lose(hand.address(number).engine(), 104, "it left");
    hand.turn();
    hand.control().forgetSent();
  }

  private void strangersComeAndGo() {
    peers.bounds(10, 10);
    for (int i = 0; i < STRANGERS; i++) {
      greetAndLeave(FIRST_STRANGER + i);
    }
    hand.inTurn(peers::sweep);
  }

  /** Runs the garbage collector until something holds, or for long enough. */
  static void untilCollected(java.util.function.BooleanSupplier condition) {
    for (int i = 0; i < 200 && !condition.getAsBoolean(); i++) {
      System.gc();
      Thread.onSpinWait();
      java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  private List<Integer> greetings(int number) {
    return hand.control().sent(ControlFrame.HELLO).stream()
        .filter(frame -> frame.to().equals(hand.address(number).engine()))
        .map(frame -> ByteBuffer.wrap(frame.content()).getInt())
        .toList();
  }

  @Test
  void whoHasLeftIsForgottenInTheEnd() {
    strangersComeAndGo();
    assertThat(peers.size()).isLessThanOrEqualTo(10);
    untilCollected(() -> peers.tableSize() <= 11);
  }

  @Test
  void whoOnlyGreetsIsToldThatItIsForgotten() {
    peers.bounds(10, 10);
    for (int i = 0; i < STRANGERS; i++) {
      hand.receive(FIRST_STRANGER + i, hand.hello(FIRST_STRANGER + i, 1, 0));
    }
    hand.inTurn(peers::sweep);
    hand.turn();
    assertThat(peers.size()).isLessThanOrEqualTo(10);
    assertThat(hand.control().sent(ControlFrame.DISMISSAL))
        .hasSizeGreaterThanOrEqualTo(STRANGERS - 10)
        .extracting(frame -> new String(frame.content()))
        .allMatch(text -> text.contains("10 engines"));
    untilCollected(() -> peers.tableSize() <= 11);
  }

  @Test
  void whoIsHeldIsTheSameForAsLongAsItIsHeld() {
    Peer held = hand.peer(1);
    Peer owner = hand.remote(2).peer();
    hand.receive(3, hand.hello(3));
    hand.receive(3, ControlFrame.message(0, ByteBuffer.allocate(1)));
    Probe<Message> messages = hand.probe(hand.engine().messages());
    hand.turn();
    Peer sender = messages.items().getFirst().sender();
    greetAndLeave(1);
    greetAndLeave(2);
    greetAndLeave(3);
    strangersComeAndGo();
    untilCollected(() -> peers.tableSize() <= 14);
    assertThat(hand.peer(1)).isSameAs(held);
    assertThat(hand.peer(2)).isSameAs(owner);
    assertThat(hand.peer(3)).isSameAs(sender);
  }

  @Test
  void whoIsNotHeldGoes() {
    WeakReference<Peer> peer = new WeakReference<>(hand.peer(50));
    untilCollected(() -> peer.get() == null);
    hand.peer(51);
    assertThat(peers.tableSize()).isLessThanOrEqualTo(3);
  }

  @Test
  void whoseMessagesWereNotTakenIsNotForgotten() {
    hand.receive(1, hand.hello(1));
    hand.receive(1, ControlFrame.message(0, ByteBuffer.allocate(1)));
    greetAndLeave(1);
    int epoch = hand.epoch(1);
    strangersComeAndGo();
    assertThat(hand.epoch(1)).isEqualTo(epoch);
  }

  @Test
  void whoseSubscriberWaitsIsNotForgotten() {
    Probe<PeerState> states = hand.probe(hand.peer(1).state());
    hand.turn();
    greetAndLeave(1);
    strangersComeAndGo();
    untilCollected(() -> peers.tableSize() <= 12);
    hand.receive(1, hand.hello(1));
    assertThat(states.items().getLast()).isInstanceOf(PeerState.Alive.class);
  }

  @Test
  void theUserHearsThatAPeerHasLetGoOfIt() {
    Probe<PeerState> states = hand.probe(hand.peer(1).state());
    Probe<Void> claim =
        hand.probe(
            hand.engine()
                .counter(io.reactivetransfer.Imm.of(3))
                .boundTo(List.of(hand.peer(1)))
                .next(1));
    hand.receive(1, hand.hello(1));
    hand.receive(1, ControlFrame.dismissal("too many"));
    assertThat(states.items().getLast()).isInstanceOf(PeerState.Lost.class);
    assertThat(claim.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("has forgotten this engine: too many");
  }

  @Test
  void whoIsForgottenWithinASessionIsToldAgainWhereItIsWrittenTo() {
    RemoteRegion remote = hand.remote(1);
    MemoryRegion source = hand.region();
    Write write = Write.of(source.slice(0, 1), remote.slice(0, 1));
    hand.receive(1, hand.hello(1));
    for (int i = 0; i < 2; i++) {
      Probe<Write> probe = hand.probe(hand.engine().submit(write));
      hand.turn();
      hand.settle();
      probe.assertComplete();
      assertThat(hand.control().sent(ControlFrame.USES)).hasSize(i + 1);
      peers.bounds(0, 0);
      hand.inTurn(peers::sweep);
      assertThat(hand.control().sent(ControlFrame.DISMISSAL)).hasSize(i + 1);
    }
  }

  @Test
  void whoIsForgottenWhileAWayIsShutIsNotWaitedFor() {
    hand.receive(1, hand.hello(1));
    hand.nic(0).report(sink -> sink.peerLost(hand.address(1).engine(), 1, "told to lose its way"));
    hand.turn();
    assertThat(hand.control().sent(ControlFrame.FENCE)).hasSize(1);
    peers.bounds(0, 0);
    hand.inTurn(peers::sweep);
    assertThat(hand.control().sent(ControlFrame.DISMISSAL)).hasSize(1);
    hand.receive(1, ControlFrame.fenced(0, 0));
    peers.bounds(10, 10);
    Probe<Write> write =
        hand.probe(
            hand.engine().submit(Write.of(hand.region().slice(0, 1), hand.remote(1).slice(0, 1))));
    hand.turn();
    hand.settle();
    write.assertComplete();
  }

  @Test
  void whoIsForgottenIsNotAskedBeforeMemoryIsRevoked() {
    MemoryRegion region = hand.region();
    hand.receive(1, hand.hello(1));
    hand.receive(1, ControlFrame.uses(region.descriptor().number()));
    peers.bounds(0, 0);
    hand.inTurn(peers::sweep);
    Probe<Void> revoked = hand.probe(region.revoke());
    hand.turn();
    revoked.assertComplete();
  }

  // ---- credit, when one side has forgotten the other ----

  @Test
  void whoForgotCountsAnewAndSaysSo() {
    hand.receive(1, hand.hello(1));
    hand.receive(1, hand.credit(1, 4));
    hand.control().peersGreet = false;
    hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    hand.turn();
    int before = hand.epoch(1);
    greetAndLeave(1);
    strangersComeAndGo();
    Probe<Void> probe = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    hand.turn();
    probe.assertOpen();
    assertThat(greetings(1)).hasSize(1).doesNotContain(before);
    hand.receive(1, ControlFrame.credit(before, 0, 9, 9));
    probe.assertOpen();
    hand.receive(1, hand.hello(1));
    hand.receive(1, hand.credit(1, 1));
    probe.assertComplete();
    assertThat(granted()).isEqualTo(4);
  }

  private int granted() {
    return ByteBuffer.wrap(hand.control().sent(ControlFrame.CREDIT).getLast().content()).getInt(5);
  }

  @Test
  void whoWasForgottenUsesNoOldCredit() {
    hand.receive(1, hand.hello(1));
    hand.receive(1, hand.credit(1, 100));
    hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1))).assertOpen();
    hand.turn();
    hand.receive(1, hand.hello(1, 2, 0));
    Probe<Void> probe = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    hand.turn();
    probe.assertOpen();
    hand.receive(1, hand.credit(1, 2));
    probe.assertComplete();
    assertThat(granted()).isEqualTo(4);
  }

  @Test
  void bothMayHaveForgotten() {
    hand.control().peersGreet = false;
    greetAndLeave(1);
    strangersComeAndGo();
    Probe<Void> probe = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    hand.turn();
    // its greeting crosses ours: it does not know us yet
    hand.receive(1, hand.hello(1, 5, 0));
    probe.assertOpen();
    assertThat(greetings(1)).hasSize(2);
    hand.receive(1, hand.hello(1, 5, hand.epoch(1)));
    assertThat(greetings(1)).as("now both know").hasSize(2);
    hand.receive(1, hand.credit(1, 1));
    probe.assertComplete();
  }

  // ---- messages that wait ----

  @Test
  void messagesThatWaitAreBounded() {
    EngineByHand other = new EngineByHand();
    other.open(1, o -> o.maxWaitingMessages(3));
    List<Probe<Void>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(other.probe(other.engine().send(other.peer(1), ByteBuffer.allocate(1))));
    }
    Probe<Void> more = other.probe(other.engine().send(other.peer(1), ByteBuffer.allocate(1)));
    Probe<Void> elsewhere = other.probe(other.engine().send(other.peer(2), ByteBuffer.allocate(1)));
    other.turn();
    assertThat(more.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("maxWaitingMessages");
    waiting.forEach(Probe::assertOpen);
    elsewhere.assertOpen();
    waiting.getFirst().cancel();
    other.turn();
    other.probe(other.engine().send(other.peer(1), ByteBuffer.allocate(1))).assertOpen();
    other.end();
  }

  // ---- after close ----

  @Test
  void statesThatNobodyHasAskedForEndAtClose() {
    Probe<PeerState> none = hand.probe(hand.peer(1).state(), new Probe<>(0));
    Probe<PeerState> first = hand.probe(hand.peer(1).state(), new Probe<>(1));
    hand.receive(1, hand.hello(1));
    hand.close().assertComplete();
    assertThat(none.assertComplete().items()).isEmpty();
    assertThat(first.assertComplete().items()).containsExactly(new PeerState.Unknown());
  }

  @Test
  void ofStatesThatComeFasterThanTheyAreAskedForTheLastIsTold() {
    Probe<PeerState> slow = hand.probe(hand.peer(1).state(), new Probe<>(1));
    hand.receive(1, hand.hello(1));
    hand.lose(hand.peer(1));
    hand.receive(1, hand.hello(1));
    hand.lose(hand.peer(1));
    slow.request(Long.MAX_VALUE);
    hand.turn();
    assertThat(slow.items())
        .extracting(state -> (Object) state.getClass())
        .containsExactly(PeerState.Unknown.class, PeerState.Alive.class, PeerState.Lost.class);
  }

  @Test
  void statesOfNewPeersEndAfterClose() {
    hand.close().assertComplete();
    Probe<PeerState> states = hand.probe(hand.peer(77).state());
    hand.turn();
    states.assertComplete();
    Probe<PeerState> known = hand.probe(hand.peer(1).state());
    hand.turn();
    known.assertComplete();
  }

  /** Each time is a loss, and who looks at the peer is told. */
  @Test
  void whoForgetsThisEngineTooOftenInOneSessionLosesIt() {
    hand.receive(1, hand.hello(1, 1, hand.epoch(1)));
    for (int epoch = 2; epoch < 2 + Mail.MAX_FORGETS; epoch++) {
      hand.receive(1, hand.hello(1, epoch, hand.epoch(1)));
    }
    assertThat(hand.control().disconnections()).isEmpty();
    hand.receive(1, hand.hello(1, 1_000, hand.epoch(1)));
    assertThat(hand.control().disconnections())
        .singleElement()
        .satisfies(end -> assertThat(end.reason()).contains("has forgotten this engine"));
    assertThat(((PeerLink) hand.peer(1)).isOpen()).isFalse();
  }

  @Test
  void whoSaysTooOftenThatItForgetsLosesItsSession() {
    hand.receive(1, hand.hello(1, 1, hand.epoch(1)));
    for (int times = 0; times < Mail.MAX_FORGETS; times++) {
      hand.receive(1, ControlFrame.dismissal("once more"));
    }
    assertThat(hand.control().disconnections()).isEmpty();
    hand.receive(1, ControlFrame.dismissal("once more"));
    assertThat(hand.control().disconnections()).hasSize(1);
  }
}
