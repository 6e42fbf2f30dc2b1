package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Rule 2.6 where NICs report a bounded amount in each poll: what had come, and was not reported
 * yet, is dropped with the rest. Else the first claim of what comes next would be met too early.
 */
class DiscardTest {

  private static final Imm IMM = Imm.of(3);
  private static final Imm OTHER = Imm.of(4);
  private static final int COME = 9;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private ImmCounter counter() {
    return hand.engine().counter(IMM);
  }

  private void arriveAt(int nic, Imm imm, int times) {
    for (int i = 0; i < times; i++) {
      hand.nic(nic).arrive(WireImm.encode(imm.value(), 1));
    }
  }

  /** A NIC goes on reporting for as long as this holds. */
  private void keepBusy(int nic, BooleanSupplier condition) {
    hand.nic(nic)
        .report(sink -> {
          sink.immArrived(WireImm.encode(OTHER.value(), 1), 0);
          if (condition.getAsBoolean()) {
            keepBusy(nic, condition);
          }
        });
  }

  @Test
  void whatWasNotReportedYetIsDropped() {
    hand.open(1);
    hand.nic(0).reportsPerPoll = 2;
    arriveAt(0, IMM, COME);
    Probe<Long> discard = hand.probe(counter().discard());
    hand.turn();
    assertThat(discard.assertComplete().items()).containsExactly((long) COME);
    assertThat(hand.stats().unclaimedImms()).isZero();
  }

  @Test
  void allNicsAreAsked() {
    hand.open(3);
    hand.nic(1).reportsPerPoll = 2;
    arriveAt(1, IMM, COME);
    Probe<Long> discard = hand.probe(counter().discard());
    hand.turn();
    assertThat(discard.assertComplete().items()).containsExactly((long) COME);
    assertThat(hand.stats().unclaimedImms()).isZero();
  }

  /** What comes later is not waited for, nor is a NIC that has something to say in each poll. */
  @Test
  void aNicThatIsNeverIdleDoesNotHoldItUp() {
    hand.open(2);
    hand.nic(1).reportsPerPoll = 1 << 8;
    Probe<Long> discard = hand.probe(counter().discard());
    keepBusy(1, () -> discard.items().isEmpty());
    arriveAt(1, IMM, COME);
    hand.turn();
    assertThat(discard.assertComplete().items()).containsExactly((long) COME);
  }

  @Test
  void norDoesOneThatSaysLittleInEach() {
    hand.open(1);
    hand.nic(0).reportsPerPoll = 1;
    Probe<Long> discard = hand.probe(counter().discard());
    keepBusy(0, () -> discard.items().isEmpty());
    hand.turn();
    assertThat(discard.assertComplete().items()).containsExactly(0L);
  }

  @Test
  void whatWasNotReportedYetIsDroppedWithALease() {
    hand.open(1);
    hand.nic(0).reportsPerPoll = 2;
    ImmLease lease = hand.engine().lease(2);
    Probe<Void> claim = hand.probe(lease.counter(0).next(COME + 1));
    arriveAt(0, lease.imm(0), COME);
    arriveAt(0, lease.imm(1), COME);
    lease.close();
    hand.turn();
    assertThat(claim.error()).isNotNull();
    assertThat(hand.stats().unclaimedImms()).isZero();
  }

  /** Who waits for a NIC hears of its end. */
  @Test
  void itEndsWithTheEngine() {
    hand.open(1);
    hand.nic(0).reportsPerPoll = 1;
    boolean[] over = {false};
    keepBusy(0, () -> !over[0]);
    hand.engine().scheduler().schedule(() -> over[0] = true);
    Probe<Void> closed = hand.probe(hand.engine().close());
    Probe<Long> discard = hand.probe(counter().discard());
    hand.turn();
    closed.assertComplete();
    assertThat(discard.isComplete() || discard.error() != null).isTrue();
  }
}
