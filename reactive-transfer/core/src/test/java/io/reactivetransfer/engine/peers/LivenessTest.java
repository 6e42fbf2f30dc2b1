package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** Rule 7: a peer that is silent while anything is waited for is lost within the deadline. */
class LivenessTest {

  private static final Duration DEADLINE = Duration.ofSeconds(1);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;
  private Peer peer;

  @BeforeEach
  void open() {
    hand.open(1, o -> o.livenessDeadline(DEADLINE));
    source = hand.region();
    peer = hand.peer(1);
  }

  private Probe<Write> submit() {
    Probe<Write> probe =
        hand.probe(hand.engine().submit(Write.of(source.slice(0, 1), hand.remote(1).slice(0, 1))));
    hand.turn();
    return probe;
  }

  private void pass(Duration time) {
    Duration step = DEADLINE.dividedBy(8);
    for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(step)) {
      hand.advance(step);
      hand.turn();
    }
  }

  private void signOfLife() {
    hand.control().receive(peer.id(), ControlFrame.alive());
    hand.turn();
  }

  @Test
  void aPeerIsAskedWhileAWriteIsOut() {
    submit();
    pass(DEADLINE.dividedBy(2));
    assertThat(hand.control().sent(ControlFrame.ASK)).isNotEmpty();
    assertThat(hand.control().sent().getFirst().kind())
        .as("it must know whom to answer")
        .isEqualTo(ControlFrame.HELLO);
    hand.settle();
  }

  @Test
  void nobodyIsAskedWhenNothingIsWaitedFor() {
    submit();
    hand.settle();
    pass(DEADLINE.multipliedBy(3));
    assertThat(hand.control().sent(ControlFrame.ASK)).isEmpty();
  }

  @Test
  void silenceEndsTheWriteWhoseNicReportsNothing() {
    Probe<Write> probe = submit();
    pass(DEADLINE.multipliedBy(2));
    assertThat(probe.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("silent for 1000 ms");
    assertThat(((PeerUnreachableException) probe.error()).peer()).isEqualTo(peer.id());
    assertThat(hand.inFlight()).as("given up by the NIC before the signal").isEmpty();
  }

  /** It may have begun only now, and a program is slow when it begins. */
  @Test
  void whoHasNeverGreetedHasTheTimeOfAConnection() {
    hand.control().peersGreet = false;
    Probe<Write> probe = submit();
    pass(DEADLINE.multipliedBy(5));
    probe.assertOpen();
    pass(DEADLINE.multipliedBy(6));
    assertThat(probe.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("silent for 10000 ms (connectTimeout)");
  }

  /** What waited for it then has ended, and whoever wants it next begins anew. */
  @Test
  void whoWasLostForAnotherReasonIsSilentOnlyFromThenOn() {
    submit();
    pass(DEADLINE.multipliedBy(3).dividedBy(4));
    hand.control().peersGreet = false;
    hand.lose(peer);
    Probe<Write> probe = submit();
    pass(DEADLINE.multipliedBy(3).dividedBy(4));
    probe.assertOpen();
    pass(DEADLINE);
    assertThat(probe.error()).hasMessageContaining("silent for 1000 ms");
  }

  @Test
  void silenceEndsABoundClaim() {
    Probe<Void> claim = hand.probe(hand.engine().counter(Imm.of(1)).boundTo(peer).next(1));
    hand.turn();
    pass(DEADLINE.multipliedBy(2));
    assertThat(claim.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("0 of 1 arrivals");
  }

  @Test
  void signsOfLifeKeepItAlive() {
    Probe<Write> probe = submit();
    for (int i = 0; i < 8; i++) {
      pass(DEADLINE.dividedBy(2));
      signOfLife();
    }
    probe.assertOpen();
    hand.settle();
    probe.assertComplete();
  }

  @Test
  void timeInWhichTheEngineItselfStoodStillSaysNothing() {
    Probe<Write> probe = submit();
    pass(DEADLINE.dividedBy(2));
    hand.loop.standStill(DEADLINE.multipliedBy(10));
    hand.advance(Duration.ZERO);
    probe.assertOpen();
    pass(DEADLINE.multipliedBy(2));
    assertThat(probe.error()).isInstanceOf(PeerUnreachableException.class);
  }

  private Probe<Write> submitWithDeadline(Duration deadline) {
    Write write = Write.of(source.slice(0, 1), hand.remote(1).slice(0, 1));
    Probe<Write> probe = hand.probe(hand.engine().submit(write, deadline));
    hand.turn();
    return probe;
  }

  private void passWithSignsOfLife(Duration time) {
    Duration step = DEADLINE.dividedBy(8);
    for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(step)) {
      pass(step);
      signOfLife();
    }
  }

  /** A peer may be heard, and its writes be stuck all the same. */
  @Test
  void aWriteThatIsOutLongAfterItsDeadlineEndsWithItsWay() {
    Probe<Write> probe = submitWithDeadline(DEADLINE.dividedBy(4));
    passWithSignsOfLife(DEADLINE);
    probe.assertOpen();
    passWithSignsOfLife(DEADLINE);
    probe.assertOpen(); // it may still arrive
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(probe.terminals()).isEqualTo(1);
    assertThat(hand.inFlight()).as("given up by the NIC before the signal").isEmpty();
  }

  @Test
  void timeInWhichTheEngineItselfStoodStillDoesNotMakeAWriteStuck() {
    Probe<Write> probe = submitWithDeadline(DEADLINE.dividedBy(4));
    passWithSignsOfLife(DEADLINE.dividedBy(2));
    hand.loop.standStill(DEADLINE.multipliedBy(10));
    hand.advance(Duration.ZERO);
    signOfLife();
    probe.assertOpen();
    hand.completeAll();
    assertThat(probe.error()).isInstanceOf(DeadlineExceededException.class);
  }

  @Test
  void aWriteIsStuckAlsoWhereTheEngineStandsStillNowAndThen() {
    Probe<Write> probe = submitWithDeadline(DEADLINE.dividedBy(4));
    passWithSignsOfLife(DEADLINE.dividedBy(2));
    for (int i = 0; i < 8; i++) {
      hand.loop.standStill(DEADLINE.multipliedBy(2));
      passWithSignsOfLife(DEADLINE.dividedBy(4));
    }
    assertThat(probe.terminals()).isEqualTo(1);
  }

  @Test
  void itAnswersWhenItIsAsked() {
    hand.control().receive(peer.id(), hand.hello(1));
    hand.control().receive(peer.id(), ControlFrame.ask());
    hand.turn();
    assertThat(hand.control().sent(ControlFrame.ALIVE)).hasSize(1);
  }

  @Test
  void statesAreToldAndThePeerMayComeBack() {
    Probe<PeerState> states = hand.probe(peer.state());
    hand.turn();
    signOfLife();
    pass(DEADLINE.multipliedBy(2));
    signOfLife();
    assertThat(states.items())
        .extracting(state -> (Object) state.getClass())
        .containsExactly(
            PeerState.Unknown.class,
            PeerState.Alive.class,
            PeerState.Lost.class,
            PeerState.Alive.class);
    hand.settle();
    submit();
    hand.settle();
  }

  @Test
  void aSubscriberOfStatesThatThrowsIsEndedAndWantsNothingMore() {
    List<Throwable> ends = new ArrayList<>();
    IllegalStateException thrown = new IllegalStateException("thrown by the test");
    PeerLink quiet = (PeerLink) hand.peer(7);
    quiet
        .state()
        .subscribe(
            new CoreSubscriber<>() {
              @Override
              public void onSubscribe(Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
              }

              @Override
              public void onNext(PeerState state) {
                throw thrown;
              }

              @Override
              public void onError(Throwable failure) {
                ends.add(failure);
              }

              @Override
              public void onComplete() {
                ends.add(new AssertionError("completed"));
              }
            });
    hand.turn();
    assertThat(quiet.isWanted()).isFalse();
    assertThat(ends).containsExactly(thrown);
  }
}
