package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.AbortFrame;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A claim always ends: by its origin's word, by the loss of a peer, by its deadline. */
class ClaimEndTest {

  private static final Imm IMM = Imm.of(77);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private ImmCounter counter;
  private Peer origin;

  @BeforeEach
  void open() {
    hand.open(1);
    counter = hand.engine().counter(IMM);
    origin = hand.peer(1);
    hand.control().receive(origin.id(), hand.hello(1));
    hand.turn();
  }

  private int aborts;

  private Probe<Void> claim(ImmCounter counter, long n) {
    Probe<Void> probe = hand.probe(counter.next(n));
    hand.turn();
    return probe;
  }

  private void arrive(int writes) {
    for (int i = 0; i < writes; i++) {
      hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    }
    hand.turn();
  }

  private void abort(String reason) {
    int flags = ControlFrame.FAILS | ControlFrame.NOTE;
    abort(new AbortFrame(++aborts, IMM.value(), 0, flags, reason));
  }

  private void abort(AbortFrame abort) {
    hand.control().receive(origin.id(), ControlFrame.abort(abort, 0));
    hand.turn();
  }

  @Test
  void anAbortFailsThoseWhoWaitWithTheCause() {
    Probe<Void> first = claim(counter, 3);
    Probe<Void> second = claim(counter, 1);
    arrive(2);
    abort("the disk burns");
    assertThat(first.error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContaining("the disk burns")
        .hasMessageContaining("2 of 3 arrivals");
    assertThat(((TransferFailedException) first.error()).peer()).isEqualTo(origin.id());
    second.assertComplete(); // what had arrived is enough for the one behind it
  }

  @Test
  void anAbortBeforeAnyoneAskedFailsTheNextWhoWouldWait() {
    arrive(1);
    abort("gone");
    claim(counter, 1).assertComplete();
    assertThat(claim(counter, 1).error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContaining("gone");
    claim(counter, 1).assertOpen(); // it was told, once
  }

  /** It does not remember what it told, and cannot say that it begins anew under it. */
  @Test
  void whatAnOriginToldBeforeItForgotThisEngineEndsNoLaterClaim() {
    hand.receive(1, hand.hello(1, 1, 0));
    abort("gone");
    hand.receive(1, hand.hello(1, 2, 0));
    Probe<Void> claim = claim(counter, 1);
    claim.assertOpen();
    arrive(1);
    claim.assertComplete();
  }

  /** It asks whether its old doubt was cleared, and no longer knows that it need not be told. */
  @Test
  void whatWasDiscardedIsNotInDoubtAgainWhenAnOldDoubtIsAskedAfter() {
    abort(new AbortFrame(1, IMM.value(), 0, ControlFrame.DOUBT, "its way was lost"));
    hand.peers().bounds(0, 0);
    hand.lose(origin);
    hand.inTurn(hand.peers()::sweep);
    hand.probe(counter.discard());
    hand.turn();
    hand.receive(1, hand.hello(1, 1, 0));
    Probe<Void> claim = claim(counter, 2);
    arrive(1);
    abort(new AbortFrame(1, IMM.value(), 0, ControlFrame.DOUBT, ""));
    assertThat(hand.control().sent(ControlFrame.CLEARED)).hasSize(1);
    claim.assertOpen();
    arrive(1);
    claim.assertComplete();
  }

  @Test
  void discardForgetsAnAbort() {
    abort("gone");
    hand.probe(counter.discard());
    hand.turn();
    claim(counter, 1).assertOpen();
  }

  @Test
  void aClaimWithADeadlineFailsWhenItIsOver() {
    Probe<Void> probe = claim(counter.within(Duration.ofMillis(50)), 4);
    Probe<Void> patient = claim(counter, 1);
    arrive(3);
    hand.advance(Duration.ofMillis(49));
    probe.assertOpen();
    hand.advance(Duration.ofMillis(2));
    assertThat(probe.error())
        .isInstanceOf(DeadlineExceededException.class)
        .hasMessageContaining("within 50 ms")
        .hasMessageContaining("3 of 4 arrivals");
    patient.assertComplete();
  }

  @Test
  void aClaimThatIsMetInTimeHasNoDeadlineAnyMore() {
    Probe<Void> probe = claim(counter.within(Duration.ofMillis(50)), 1);
    arrive(1);
    probe.assertComplete();
    hand.advance(Duration.ofSeconds(1));
  }

  @Test
  void theLossOfABoundPeerSaysHowManyHadCome() {
    Probe<Void> probe = claim(counter.boundTo(origin), 5);
    arrive(2);
    hand.lose(origin);
    assertThat(probe.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("2 of 5 arrivals");
  }

  @Test
  void refusesDeadlinesThatAreNone() {
    assertThatIllegalArgumentException().isThrownBy(() -> counter.within(Duration.ZERO));
    assertThatIllegalArgumentException().isThrownBy(() -> counter.within(Duration.ofDays(400)));
  }

  @Test
  void survivesMalformedAborts() {
    hand.control().receive(origin.id(), ByteBuffer.wrap(new byte[] {ControlFrame.ABORT, 1}));
    abort(new AbortFrame(1, -2, 0, ControlFrame.DOUBT, "no immediate"));
    hand.turn();
    arrive(1);
    claim(counter, 1).assertComplete();
  }
}
