package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.Liveness;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rule 23.8: one of two NICs reports nothing for a while, and gets nothing more until it does. */
class SilentWayTest {

  private static final Duration LIVENESS = Duration.ofSeconds(1);

  /** Of one piece over each NIC. */
  private static final long TWO_PIECES = 200_000;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;

  private void open() {
    open(UnaryOperator.identity());
  }

  private void open(UnaryOperator<EngineOptions.Builder> options) {
    hand.open(2, o -> options.apply(o.minPieceBytes(1).livenessDeadline(LIVENESS)));
    source = hand.region();
    hand.receive(1, hand.hello(1));
  }

  private Probe<Write> submit(long length) {
    return submit(1, length);
  }

  private Probe<Write> submit(int peer, long length) {
    Write write = Write.of(source.slice(0, length), hand.remote(peer).slice(0, length));
    Probe<Write> probe = hand.probe(hand.engine().submit(write));
    hand.turn();
    return probe;
  }

  /** The next look of liveness; meanwhile the peer is heard. */
  private void nextLook() {
    hand.receive(1, ControlFrame.alive());
    hand.advance(LIVENESS.dividedBy(Liveness.ASKS_PER_DEADLINE));
    hand.turn();
  }

  /** Ends what the second one has until it has nothing. */
  private void settleOther() {
    while (!hand.nic(1).inFlight().isEmpty()) {
      hand.nic(1).completeAll();
      hand.turn();
    }
  }

  /** The first one has a part of this, and is silent; the other one is not. */
  private Probe<Write> silence() {
    Probe<Write> stuck = submit(TWO_PIECES);
    assertPosted(1, 1);
    settleOther();
    nextLook();
    nextLook();
    return stuck;
  }

  /** So many pieces each NIC has taken over by now. */
  private void assertPosted(int first, int second) {
    assertThat(hand.nics())
        .extracting(nic -> nic.posted().size())
        .as("pieces that each NIC has taken over")
        .containsExactly(first, second);
  }

  @Test
  void transfersOfSeveralPiecesGoOnWithoutIt() {
    open();
    Probe<Write> stuck = silence();
    for (int i = 1; i <= 20; i++) {
      Probe<Write> write = submit(TWO_PIECES);
      assertPosted(1, 1 + 2 * i);
      settleOther();
      write.assertComplete();
      if (i % 5 == 0) {
        nextLook();
      }
    }
    stuck.assertOpen(); // it was not given up
    hand.settle();
    stuck.assertComplete();
  }

  @Test
  void itIsSilentAfterOneLookInWhichNothingHasEnded() {
    open();
    submit(TWO_PIECES);
    settleOther();
    nextLook();
    submit(TWO_PIECES);
    assertPosted(2, 2);
    settleOther();
    nextLook();
    submit(TWO_PIECES);
    assertPosted(2, 4);
    hand.settle();
  }

  @Test
  void oneThatHasEndedSomethingIsNot() {
    open();
    submit(TWO_PIECES);
    submit(TWO_PIECES);
    submit(TWO_PIECES);
    settleOther();
    nextLook();
    hand.complete(hand.nic(0).inFlight().getFirst());
    nextLook();
    submit(TWO_PIECES);
    assertPosted(4, 4);
    hand.settle();
  }

  @Test
  void whatEndsThereBringsItBackAtOnce() {
    open();
    Probe<Write> stuck = silence();
    Probe<Write> other = submit(TWO_PIECES);
    assertPosted(1, 3);
    hand.complete(hand.nic(0).inFlight().getFirst());
    stuck.assertComplete();
    submit(TWO_PIECES);
    assertPosted(2, 4);
    hand.settle();
    other.assertComplete();
  }

  @Test
  void whatFailsThereDoesSo() {
    open();
    Probe<Write> stuck = silence();
    hand.fail(hand.nic(0).inFlight().getFirst());
    assertThat(stuck.error()).hasMessageContaining("told to fail");
    submit(TWO_PIECES);
    assertPosted(2, 2);
    hand.settle();
  }

  @Test
  void ifAllAreSilentAllGetPieces() {
    open();
    silence();
    Probe<Write> both = submit(TWO_PIECES);
    assertPosted(1, 3);
    nextLook();
    nextLook();
    Probe<Write> all = submit(TWO_PIECES);
    assertPosted(2, 4);
    settleOther();
    both.assertComplete();
    Probe<Write> again = submit(TWO_PIECES);
    assertPosted(2, 6);
    settleOther();
    again.assertComplete();
    hand.settle();
    all.assertComplete();
  }

  @Test
  void ifTheOtherWayIsLostItGetsThem() {
    open();
    silence();
    hand.loseWay(1, hand.peer(1));
    hand.receive(1, ControlFrame.fenced(1, 1));
    submit(TWO_PIECES);
    assertPosted(3, 1);
    hand.settle();
  }

  @Test
  void ifTheOtherNicFailsItGetsThem() {
    open();
    silence();
    Probe<Write> write = submit(TWO_PIECES);
    assertPosted(1, 3);
    hand.nic(1).breakDown(5, "told to break");
    hand.turn();
    hand.receive(1, ControlFrame.fenced(1, 1));
    assertPosted(3, 3);
    hand.settle();
    write.assertComplete();
  }

  @Test
  void itIsSilentForThatPeerOnly() {
    open();
    silence();
    hand.receive(2, hand.hello(2));
    Probe<Write> elsewhere = submit(2, TWO_PIECES);
    assertPosted(2, 2);
    hand.settle();
    elsewhere.assertComplete();
  }

  @Test
  void aMomentInWhichTheOtherIsBusyDoesNotBringItBack() {
    open();
    silence();
    hand.nic(1).room = 1;
    Probe<Write> write = submit(TWO_PIECES);
    assertPosted(1, 2);
    settleOther();
    assertPosted(1, 2);
    nextLook();
    assertPosted(1, 2);
    hand.nic(1).room = Integer.MAX_VALUE;
    hand.turn();
    assertPosted(1, 3);
    settleOther();
    write.assertComplete();
    hand.settle();
  }

  @Test
  void norDoesItThatTheOtherIsFull() {
    open(o -> o.nicDepth(3));
    silence();
    List<Probe<Write>> writes = List.of(submit(TWO_PIECES), submit(TWO_PIECES), submit(TWO_PIECES));
    assertThat(hand.nic(1).inFlight()).hasSize(3);
    settleOther();
    assertPosted(1, 7);
    writes.forEach(Probe::assertComplete);
    hand.settle();
  }

  /** Whatever a driver does, nothing waits for ever for a way that takes nothing. */
  @Test
  void whatTheOtherDoesNotTakeForAWhileGoesOverIt() {
    open();
    silence();
    hand.nic(1).room = 0;
    submit(TWO_PIECES);
    nextLook();
    assertPosted(1, 1);
    nextLook();
    assertPosted(3, 1);
    hand.nic(1).room = Integer.MAX_VALUE;
    nextLook();
    submit(TWO_PIECES);
    assertPosted(3, 3);
    hand.nic(1).room = 1;
    nextLook();
    submit(TWO_PIECES);
    assertPosted(3, 4);
    hand.settle();
  }

  /** What waits because there is no room for it was refused by nobody. */
  @Test
  void itIsNotBroughtBackByWhatTakesLongOverTheOther() {
    hand.backend.maxWriteBytes = 100;
    open(o -> o.peerBytes(450));
    submit(1_000);
    settleOther();
    nextLook();
    nextLook();
    int byOther = hand.nic(1).posted().size();
    assertThat(hand.nic(1).inFlight()).as("one after the other").hasSize(1);
    nextLook();
    nextLook();
    assertPosted(4, byOther);
    hand.nic(1).completeAll();
    hand.turn();
    assertPosted(4, byOther + 1);
    hand.settle();
  }

  @Test
  void whatIsStuckThereDoesNotKeepAllRoomOfThePeer() {
    hand.backend.maxWriteBytes = 100;
    open(o -> o.peerBytes(450));
    Probe<Write> stuck = submit(1_000);
    settleOther();
    assertThat(hand.nic(0).inFlight()).hasSize(4);
    assertThat(hand.inFlight()).as("it has all that the peer may have").hasSize(4);
    nextLook();
    nextLook();
    assertThat(hand.nic(1).inFlight()).as("one after the other").hasSize(1);
    settleOther();
    assertThat(hand.posted()).hasSize(10);
    Probe<Write> next = submit(300);
    settleOther();
    next.assertComplete();
    assertThat(hand.nic(0).inFlight()).hasSize(4);
    hand.settle();
    stuck.assertComplete();
  }

  @Test
  void timeInWhichTheProcessStoodStillIsNoSilence() {
    open();
    submit(TWO_PIECES);
    settleOther();
    nextLook();
    hand.loop.standStill(LIVENESS.multipliedBy(5));
    hand.advance(Duration.ZERO);
    submit(TWO_PIECES);
    assertPosted(2, 2);
    settleOther();
    nextLook();
    submit(TWO_PIECES);
    assertPosted(2, 4);
    hand.settle();
  }
}
