package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.Liveness;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What was on its way when it was given up comes before anything begins anew, or never. */
class FenceTest {

  private static final Imm IMM = Imm.of(7);
  private static final Duration DEADLINE = Duration.ofSeconds(1);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;
  private Peer peer;

  @BeforeEach
  void open() {
    hand.open(2, o -> o.minPieceBytes(1).livenessDeadline(DEADLINE));
    source = hand.region();
    peer = hand.peer(1);
    hand.receive(1, hand.hello(1));
  }

  private Probe<WriteImm> submit() {
    Probe<WriteImm> probe =
        hand.probe(
            hand.engine().submit(WriteImm.of(source.slice(0, 1), hand.remote(1).slice(0, 1), IMM)));
    hand.turn();
    return probe;
  }

  private int said(byte kind) {
    return hand.control().sent(kind).size();
  }

  @Test
  void aDoubtIsToldWhenTheLostWayIsShut() {
    Probe<WriteImm> write = submit(); // over NIC 0
    hand.loseWay(0, peer);
    write.assertOpen();
    assertThat(hand.control().sent(ControlFrame.FENCE))
        .singleElement()
        .satisfies(frame -> assertThat(frame.content()).containsExactly(0, 0));
    assertThat(said(ControlFrame.ABORT)).as("aborts before the way is shut").isZero();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(write.error()).isInstanceOf(PeerUnreachableException.class);
    assertThat(said(ControlFrame.ABORT)).isEqualTo(1);
  }

  @Test
  void messagesComeAfterTheDoubt() {
    hand.receive(1, hand.credit(1, 2));
    Probe<WriteImm> write = submit();
    hand.loseWay(0, peer);
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(write.error()).isInstanceOf(PeerUnreachableException.class);
    Probe<Void> message = hand.probe(hand.engine().send(peer, ByteBuffer.allocate(3)));
    hand.turn();
    message.assertComplete();
    assertThat(hand.control().sent())
        .extracting(ScriptedControl.Frame::kind)
        .containsSubsequence(ControlFrame.FENCE, ControlFrame.ABORT, ControlFrame.MESSAGE);
  }

  @Test
  void anotherWayThatIsLostMeanwhileIsWaitedForToo() {
    submit(); // over NIC 0
    submit(); // over NIC 1
    hand.loseWay(0, peer);
    hand.loseWay(1, peer);
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(said(ControlFrame.ABORT)).isZero();
    hand.receive(1, ControlFrame.fenced(1, 1));
    assertThat(said(ControlFrame.ABORT)).isEqualTo(1); // of one immediate
  }

  @Test
  void whatANicOfOursHadBegunThatFailsIsShutOutThere() {
    submit();
    hand.nic(0).breakDown(5, "it was pulled out");
    hand.turn();
    assertThat(said(ControlFrame.FENCE)).isEqualTo(1);
    assertThat(said(ControlFrame.ABORT)).isZero();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(said(ControlFrame.ABORT)).isEqualTo(1);
  }

  @Test
  void aNicOfThePeerThatFailsTakesNothingIn() {
    submit();
    hand.loseWay(0, peer);
    hand.receive(1, ControlFrame.nicsFailed(2));
    assertThat(said(ControlFrame.ABORT)).isZero();
    hand.receive(1, ControlFrame.nicsFailed(1));
    assertThat(said(ControlFrame.ABORT)).isEqualTo(1);
  }

  @Test
  void aNicThatThrowsWhenItIsToShutEndsTheEngineAndNotTheAnswer() {
    hand.nic(0).disconnectFailure = new IllegalStateException("told to throw");
    hand.receive(1, ControlFrame.fence(0, 0));
    assertThat(hand.engine().isClosed()).isTrue();
  }

  @Test
  void withTheSessionTheQuestionEnds() {
    submit();
    hand.loseWay(0, peer);
    hand.lose(peer);
    hand.receive(1, hand.hello(1));
    assertThat(said(ControlFrame.ABORT)).as("who greets has shut all ways").isEqualTo(1);
    assertThat(said(ControlFrame.FENCE)).isEqualTo(1);
  }

  @Test
  void whoIsAliveAndDoesNotAnswerIsGivenUp() {
    Probe<WriteImm> write = submit();
    Probe<Void> claim = hand.probe(hand.engine().counter(Imm.of(9)).boundTo(peer).next(1));
    hand.loseWay(0, peer);
    for (int look = 0; look <= Liveness.ASKS_PER_DEADLINE; look++) {
      write.assertOpen();
      hand.receive(1, ControlFrame.alive());
      hand.advance(DEADLINE.dividedBy(Liveness.ASKS_PER_DEADLINE));
      hand.turn();
    }
    assertThat(write.error()).isInstanceOf(PeerUnreachableException.class);
    assertThat(claim.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("has not shut a lost way within 1000 ms");
  }

  @Test
  void whoAnswersSlowlyIsGivenTimeForEachWay() {
    submit();
    submit();
    hand.loseWay(0, peer);
    hand.loseWay(1, peer);
    for (int nic = 0; nic < 2; nic++) {
      for (int look = 1; look < Liveness.ASKS_PER_DEADLINE; look++) {
        hand.advance(DEADLINE.dividedBy(Liveness.ASKS_PER_DEADLINE));
        hand.receive(1, ControlFrame.alive());
      }
      hand.receive(1, ControlFrame.fenced(nic, nic));
    }
    assertThat(said(ControlFrame.ABORT)).isEqualTo(1);
  }

  @Test
  void whoAsksIsAnsweredWhenNothingMoreComes() {
    hand.nic(1).completesFences = false;
    hand.receive(1, ControlFrame.fence(1, 1));
    assertThat(hand.nic(0).fences).isEmpty();
    assertThat(hand.nic(1).fences).hasSize(1);
    assertThat(said(ControlFrame.FENCED)).isZero();
    hand.nic(1).fences.getFirst().complete(null);
    hand.turn();
    assertThat(hand.control().sent(ControlFrame.FENCED))
        .singleElement()
        .satisfies(frame -> assertThat(frame.content()).containsExactly(1, 1));
  }

  @Test
  void nobodyIsAnsweredInALaterSession() {
    hand.nic(0).completesFences = false;
    hand.receive(1, ControlFrame.fence(0, 0));
    hand.lose(peer);
    hand.receive(1, hand.hello(1));
    hand.nic(0).fences.forEach(fence -> fence.complete(null));
    hand.turn();
    assertThat(said(ControlFrame.FENCED)).isZero();
  }

  @Test
  void aNicThatHasFailedHasNothingToShut() {
    hand.nic(0).breakDown(5, "it was pulled out");
    hand.turn();
    hand.receive(1, ControlFrame.fence(0, 0));
    assertThat(said(ControlFrame.FENCED)).isEqualTo(1);
  }

  @Test
  void whoWasLostIsGreetedWhenNothingOfBeforeCanCome() {
    hand.nic(1).completesFences = false;
    hand.lose(peer);
    int before = said(ControlFrame.HELLO);
    hand.receive(1, hand.hello(1, 1, 0));
    submit();
    assertThat(said(ControlFrame.HELLO)).isEqualTo(before);
    for (int times = 0; times < 2; times++) { // once more, for what came behind the loss
      hand.nic(1).fences.forEach(fence -> fence.complete(null));
      hand.turn();
    }
    assertThat(said(ControlFrame.HELLO)).isEqualTo(before + 1);
  }

  /** It may have written on in the old session, which had ended here before it did there. */
  @Test
  void whoGreetsAgainIsAnsweredWhenNothingOfBeforeCanCome() {
    hand.lose(peer);
    hand.nics().forEach(nic -> nic.completesFences = false);
    int before = said(ControlFrame.HELLO);
    int fencesBefore = hand.nic(1).fences.size();
    hand.receive(1, hand.hello(1, 1, 0));
    assertThat(hand.nic(1).fences).hasSizeGreaterThan(fencesBefore);
    assertThat(said(ControlFrame.HELLO)).isEqualTo(before);
    hand.nics().forEach(nic -> nic.fences.forEach(fence -> fence.complete(null)));
    hand.turn();
    assertThat(said(ControlFrame.HELLO)).isEqualTo(before + 1);
  }

  /** Each greeting of a new acquaintance has all its ways shut. */
  @Test
  void whoGreetsWithoutEndHasFewWaysShutAtATime() {
    hand.nics().forEach(nic -> nic.completesFences = false);
    for (int epoch = 2; epoch < 500; epoch++) {
      hand.receive(1, hand.hello(1, epoch, 0));
      hand.receive(1, ControlFrame.fence(0, 0));
    }
    int ways = hand.nics().size() * hand.nics().size();
    assertThat(hand.nics().stream().mapToInt(nic -> nic.fences.size()).sum())
        .isLessThanOrEqualTo(ways);
    int fenced = said(ControlFrame.FENCED);
    hand.nics().forEach(nic -> nic.completesFences = true);
    hand.nics().forEach(nic -> List.copyOf(nic.fences).forEach(fence -> fence.complete(null)));
    hand.turn();
    assertThat(hand.nics().stream().mapToInt(nic -> nic.fences.size()).sum())
        .as("once more, behind what may have come meanwhile")
        .isLessThanOrEqualTo(2 * ways);
    assertThat(said(ControlFrame.FENCED)).isEqualTo(fenced + 1);
    hand.receive(1, hand.hello(1, 499, hand.epoch(1)));
    hand.receive(1, hand.credit(1, 1));
    Probe<WriteImm> write = submit();
    hand.settle();
    write.assertComplete();
  }

  /** It would be told that nothing comes any more, and its bytes could come over newer ones. */
  @Test
  void aNicThatFailsToShutAWayEndsTheEngine() {
    hand.nic(0).completesFences = false;
    hand.receive(1, ControlFrame.fence(0, 0));
    hand.nic(0).fences.forEach(fence -> fence.completeExceptionally(new IllegalStateException()));
    hand.turn();
    assertThat(said(ControlFrame.FENCED)).isZero();
    assertThat(hand.engine().isClosed()).isTrue();
  }

  @Test
  void nothingGoesToWhoHasNotAnsweredTheGreeting() {
    hand.control().peersGreet = false;
    Peer other = hand.peer(2);
    Probe<WriteImm> write =
        hand.probe(
            hand.engine().submit(WriteImm.of(source.slice(0, 1), hand.remote(2).slice(0, 1), IMM)));
    Probe<Void> message = hand.probe(hand.engine().send(other, ByteBuffer.allocate(3)));
    hand.turn();
    hand.receive(2, hand.hello(2, 1, 0)); // both have greeted, at the same time
    assertThat(hand.inFlight()).isEmpty();
    hand.receive(2, hand.hello(2));
    hand.receive(2, hand.credit(2, 1));
    assertThat(hand.inFlight()).hasSize(1);
    message.assertComplete();
    hand.settle();
    write.assertComplete();
  }

  @Test
  void aNicThatFailsHoldsUpNoGreeting() {
    hand.nic(1).completesFences = false;
    hand.lose(peer);
    int before = said(ControlFrame.HELLO);
    hand.receive(1, hand.hello(1, 1, 0));
    hand.nic(1).breakDown(5, "it was pulled out");
    hand.turn();
    assertThat(said(ControlFrame.HELLO)).isEqualTo(before + 1);
  }

  @Test
  void aWayThatThereIsNotIsRefused() {
    hand.receive(1, ControlFrame.fence(2, 0));
    hand.receive(1, ControlFrame.fence(0, 2));
    hand.receive(1, ControlFrame.fence(-1, 0));
    hand.receive(1, ControlFrame.fenced(0, 9));
    assertThat(hand.nic(0).fences).isEmpty();
    assertThat(hand.defects()).isEqualTo(4);
  }

  @Test
  void anAnswerOfANicThatFailedMeanwhileAnswersNoOtherQuestion() {
    hand.loseWay(0, peer);
    hand.receive(1, ControlFrame.nicsFailed(1));
    hand.loseWay(0, peer); // now to NIC 1 of the peer
    hand.receive(1, ControlFrame.fenced(0, 0));
    hand.advance(DEADLINE.dividedBy(Liveness.ASKS_PER_DEADLINE));
    submit();
    submit();
    assertThat(hand.inFlight()).hasSize(2).allMatch(piece -> piece.nic() == 1);
    hand.receive(1, ControlFrame.fenced(1, 0));
    submit();
    submit();
    assertThat(hand.inFlight()).anyMatch(piece -> piece.nic() == 0);
  }

  /** The NIC ends what is out on it, too, and the peer may have some of it in a queue. */
  @Test
  void aWayThatThePeerHasShutIsLostHereToo() {
    Probe<WriteImm> write = submit(); // over NIC 0
    hand.receive(1, ControlFrame.fence(0, 0));
    assertThat(said(ControlFrame.FENCE)).isEqualTo(1);
    write.assertOpen();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(write.error()).isInstanceOf(PeerUnreachableException.class);
    assertThat(said(ControlFrame.ABORT)).isEqualTo(1);
  }

  @Test
  void whoIsAskedInANewSessionHasTheWholeTimeToAnswer() {
    hand.loseWay(0, peer);
    for (int look = 0; look < Liveness.ASKS_PER_DEADLINE; look++) {
      hand.advance(DEADLINE.dividedBy(Liveness.ASKS_PER_DEADLINE));
      hand.receive(1, ControlFrame.alive());
    }
    hand.lose(peer);
    hand.receive(1, hand.hello(1));
    hand.loseWay(0, peer);
    hand.advance(DEADLINE.dividedBy(Liveness.ASKS_PER_DEADLINE));
    assertThat(hand.control().disconnections()).isEmpty();
  }

  /** As one whose sessions break again and again, of very many. */
  @Test
  void whoIsForgottenIsReleasedWhenItsWaysAreShut() {
    hand.nics().forEach(nic -> nic.completesFences = false);
    hand.lose(peer);
    hand.receive(1, hand.hello(1, 1, 0));
    hand.lose(peer);
    hand.peers().bounds(0, 0);
    hand.inTurn(hand.peers()::sweep);
    assertThat(hand.peers().size()).isZero();
    assertThat(hand.nic(0).remotes()).as("while they are being shut").isPositive();
    shutAll();
    assertThat(hand.nic(0).remotes()).as("shut once, of twice").isPositive();
    shutAll();
    assertThat(hand.nics()).allMatch(nic -> nic.remotes() == 0);
    assertThat(hand.engine().isClosed()).isFalse();
  }

  private void shutAll() {
    hand.nics().forEach(nic -> List.copyOf(nic.fences).forEach(fence -> fence.complete(null)));
    hand.turn();
  }

  @Test
  void whoIsMetAgainBeforeItsWaysAreShutIsNotReleased() {
    hand.nics().forEach(nic -> nic.completesFences = false);
    hand.lose(peer);
    hand.peers().bounds(0, 0);
    hand.inTurn(hand.peers()::sweep);
    hand.peers().bounds(10, 10);
    int before = said(ControlFrame.HELLO);
    hand.receive(1, hand.hello(1, 1, 0));
    assertThat(said(ControlFrame.HELLO)).as("what it had on its way may come").isEqualTo(before);
    shutAll();
    assertThat(said(ControlFrame.HELLO)).isEqualTo(before + 1);
    hand.receive(1, hand.hello(1, 1, hand.epoch(1)));
    Probe<WriteImm> write = submit();
    hand.settle();
    write.assertComplete();
  }

  @Test
  void aNicThatFailsIsNotWaitedForBeforeItIsToldWhomToForget() {
    hand.nic(0).completesFences = false;
    hand.lose(peer);
    hand.peers().bounds(0, 0);
    hand.inTurn(hand.peers()::sweep);
    assertThat(hand.nic(0).remotes()).isPositive();
    hand.nic(0).breakDown(5, "it was pulled out");
    hand.turn();
    assertThat(hand.nic(0).remotes()).isZero();
    hand.nic(0).fences.forEach(fence -> fence.complete(null));
    hand.turn();
    assertThat(hand.engine().isClosed()).isFalse();
  }

  @Test
  void whomANicWasShuttingWhenItFailedCanBeForgotten() {
    hand.nic(0).completesFences = false;
    hand.lose(peer);
    hand.receive(1, hand.hello(1, 1, 0));
    hand.lose(peer);
    hand.nic(0).breakDown(5, "it was pulled out");
    hand.turn();
    hand.peers().bounds(0, 0);
    hand.inTurn(hand.peers()::sweep);
    assertThat(hand.nics()).allMatch(nic -> nic.remotes() == 0);
    hand.nic(0).fences.forEach(fence -> fence.complete(null));
    hand.turn();
    assertThat(hand.engine().isClosed()).isFalse();
  }

  /** What it reports of before would else be taken for the loss of what is posted now. */
  @Test
  void aWayIsNotUsedWhileOurOwnNicIsShuttingIt() {
    hand.nic(0).completesFences = false;
    hand.receive(1, ControlFrame.fence(0, 0));
    hand.receive(1, ControlFrame.fenced(0, 0));
    hand.advance(DEADLINE.dividedBy(Liveness.ASKS_PER_DEADLINE));
    submit();
    submit();
    assertThat(hand.inFlight()).hasSize(2).allMatch(piece -> piece.nic() == 1);
    hand.nic(0).fences.forEach(fence -> fence.complete(null));
    hand.turn();
    submit();
    submit();
    assertThat(hand.inFlight()).anyMatch(piece -> piece.nic() == 0);
  }
}
