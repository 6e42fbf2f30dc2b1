package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.WriteImm;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Chapter 8: a failure tells the target. */
abstract class AbortRules extends RuleGroup {

  AbortRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r8_1_aFailedWriteFailsTheClaimThatWaitsForIt() {
    Valve valve = new Valve().holdReports(w -> true).fail(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Imm imm = stage().imm();
    Probe<Void> claim = stage().claim(duo.target(), imm, 1);
    Probe<WriteImm> write = stage().probe("a write", duo.origin().submit(duo.write(0, 100, imm)));
    stage().patience().until("a write posted", () -> valve.inFlight() == 1);
    claim.assertSilent();
    valve.open();
    write.awaitError(TransferFailedException.class);
    TransferFailedException told = claim.awaitError(TransferFailedException.class);
    assertThat(told.peer()).as("who told of it").isEqualTo(duo.origin().id());
    assertThat(told).hasMessageContaining(ValveDomain.FAILURE_TEXT);
  }

  @Test
  final void r8_1_aWriteThatIsRejectedFailsTheClaimThatWaitsForIt() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    Probe<Void> claim = stage().claim(duo.target(), imm, 1);
    WriteImm write = duo.write(0, 100, imm);
    stage().probe("closing the memory", duo.from().region().close()).awaitCompletion();
    stage()
        .probe("a write out of memory that is closed", duo.origin().submit(Flux.just(write)))
        .awaitError(TransferRejectedException.class);
    TransferFailedException told = claim.awaitError(TransferFailedException.class);
    assertThat(told.peer()).as("who told of it").isEqualTo(duo.origin().id());
  }

  @Test
  final void r8_2_aCancelledStreamFailsTheClaimThatWaitsForIt() {
    Valve valve = new Valve().shutForWrites();
    Duo duo = Duo.open(stage(), 1, valve);
    Imm imm = stage().imm();
    Probe<Void> claim = stage().claim(duo.target(), imm, 3);
    Probe<WriteImm> stream =
        stage().probe("a stream", duo.origin().submit(Upstream.open(duo.writes(3, imm))));
    stage().patience().until("waiting writes", () -> duo.origin().stats().transfersInFlight() == 3);
    claim.assertSilent();
    stream.cancel();
    stage().patience().until("no writes", () -> duo.origin().stats().transfersInFlight() == 0);
    valve.open();
    claim.awaitError(TransferFailedException.class);
  }

  @Test
  final void r8_3_whatWasToldEarlyFailsTheNextClaimThatWouldWait() {
    Valve valve = new Valve().failRefused(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Imm imm = stage().imm();
    stage()
        .probe("a write", duo.origin().submit(duo.write(0, 100, imm)))
        .awaitError(TransferFailedException.class);
    valve.open();
    // what was told before a later message was told before that
    Probe<?> messages = stage().probe("messages", duo.target().messages());
    stage().complete(duo.origin().send(duo.peer(), ByteBuffer.allocate(1)));
    messages.awaitValues(1);
    stage()
        .probe("a claim", duo.target().counter(imm).next(1))
        .awaitError(TransferFailedException.class);
    Probe<Void> next = stage().claim(duo.target(), imm, 1);
    List<WriteImm> again = duo.writes(1, imm);
    stage().done(duo.origin(), again.getFirst());
    next.awaitCompletion();
  }

  /** Returns when the target has heard all that the origin had said before. */
  private void told(Duo duo, Probe<?> messages, int sofar) {
    stage().complete(duo.origin().send(duo.peer(), ByteBuffer.allocate(1)));
    messages.awaitValues(sofar);
  }

  @Test
  final void r8_4_aWriteThatMissedItsDeadlineAndIsSubmittedAgainCountsOnce() {
    Valve valve = new Valve().limits(100, 2).holdReports(piece -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<?> messages = stage().probe("messages", duo.target().messages());
    Imm imm = stage().imm();
    WriteImm write = duo.write(0, 300, imm);
    told(duo, messages, 1); // so that the target has greeted, and no time is lost by that
    Probe<WriteImm> first =
        stage().probe("the first attempt", duo.origin().submit(write, Duration.ofMillis(50)));
    stage().patience().until("two of three pieces done", () -> valve.ended() == 2);
    stage().rest(Duration.ofMillis(100));
    valve.holdWrites(piece -> piece.number() == 4).holdReports(piece -> false);
    first.awaitError(DeadlineExceededException.class);
    told(duo, messages, 2);
    stage()
        .probe("who hears of it", duo.target().counter(imm).next(9))
        .awaitError(TransferFailedException.class);
    Probe<WriteImm> second = stage().probe("the second attempt", duo.origin().submit(write));
    stage().awaitArrivals(duo.target(), 4);
    told(duo, messages, 3);
    Probe<Void> claim = stage().probe("a claim", duo.target().counter(imm).next(1));
    claim.assertSilent();
    valve.open();
    second.awaitCompletion();
    claim.awaitCompletion();
    duo.expect(0, 300);
    duo.to().assertAsExpected("after both attempts");
    assertThat(stage().get(duo.target().counter(imm).discard())).as("arrivals left").isZero();
  }

  @Test
  final void r8_4_whatWasCountedOfATransferToSeveralIsTakenBackAsWell() {
    Valve valve = new Valve().failRefused(piece -> piece.number() == 3);
    Duo duo = Duo.open(stage(), 1, valve);
    TransferEngine other = stage().open(1);
    Probe<?> messages = stage().probe("messages", duo.target().messages());
    Imm imm = stage().imm();
    PeerGroup group = new PeerGroup(List.of(duo.peer(), duo.origin().peer(other.address())));
    // So that both have greeted, and the next ones are posted in the order of the group.
    stage().done(duo.origin(), Signal.of(group, stage().imm()));
    Signal signal = Signal.of(group, imm);
    stage()
        .probe("the first attempt", duo.origin().submit(signal))
        .awaitError(TransferFailedException.class);
    stage().awaitArrivals(duo.target(), 2);
    told(duo, messages, 1);
    stage()
        .probe("who hears of it", duo.target().counter(imm).next(9))
        .awaitError(TransferFailedException.class);
    valve.open();
    stage().done(duo.origin(), signal);
    told(duo, messages, 2);
    Probe<Void> both = stage().claim(duo.target(), imm, 2);
    both.assertSilent();
    both.cancel();
    assertThat(stage().get(duo.target().counter(imm).discard())).as("arrivals").isEqualTo(1);
  }

  @Test
  final void r8_5_whatIsInDoubtCountsAgainWhenItWasDiscarded() {
    Valve valve = new Valve().limits(100, 8).fail(piece -> piece.number() == 1);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<?> messages = stage().probe("messages", duo.target().messages());
    Imm imm = stage().imm();
    WriteImm write = duo.write(0, 300, imm);
    stage()
        .probe("a write that is lost on its way", duo.origin().submit(write))
        .awaitError(TransferFailedException.class);
    valve.open();
    told(duo, messages, 1);
    stage()
        .probe("a claim", duo.target().counter(imm).next(1))
        .awaitError(TransferFailedException.class);
    stage()
        .probe("another claim", duo.target().counter(imm).next(1))
        .awaitError(TransferFailedException.class);
    stage()
        .probe("the same write", duo.origin().submit(write))
        .awaitError(TransferRejectedException.class);
    stage().done(duo.origin(), duo.write(512, 300, stage().imm()));
    assertThat(stage().get(duo.target().counter(imm).discard())).as("what was counted").isZero();
    Probe<?> answers = stage().probe("answers", duo.origin().messages());
    Peer origin = duo.target().peer(duo.origin().address());
    stage().complete(duo.target().send(origin, ByteBuffer.allocate(1)));
    answers.awaitValues(1);
    Probe<Void> claim = stage().claim(duo.target(), imm, 1);
    stage().done(duo.origin(), write);
    claim.awaitCompletion();
  }

  @Test
  final void r8_6_aStreamThatFailsIsToldOnce() {
    Valve valve = new Valve().limits(16, 3).holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<?> messages = stage().probe("messages", duo.target().messages());
    Imm imm = stage().imm();
    Imm other = stage().imm();
    Probe<Void> first = stage().claim(duo.target(), imm, 8);
    Upstream<WriteImm> upstream = Upstream.open(duo.writes(8, imm));
    Probe<WriteImm> stream = stage().probe("a stream", duo.origin().submit(upstream));
    // Otherwise what is not begun yet could not be given up, nor what is counted be taken back.
    stage()
        .patience()
        .until(
            "eight writes, of which three are done",
            () -> duo.origin().stats().transfersInFlight() == 8 && valve.ended() == 3);
    upstream.fail(new IllegalStateException("of the rule"));
    first.awaitError(TransferFailedException.class);
    told(duo, messages, 1);
    Probe<Void> second = stage().claim(duo.target(), imm, 9);
    valve.open();
    stream.awaitError(IllegalStateException.class);
    stage().done(duo.origin(), duo.write(2048, 32, other));
    told(duo, messages, 2);
    for (int i = 0; i < 9; i++) {
      stage().done(duo.origin(), duo.write(2048, 32, imm));
    }
    second.awaitCompletion(); // so it was told of nothing before
  }

  @Test
  final void r8_7_whatWasToldDoesNotFailALaterUse() {
    Valve valve = new Valve().failRefused(piece -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<?> messages = stage().probe("messages", duo.target().messages());
    Imm imm = stage().imm();
    WriteImm write = duo.write(0, 100, imm);
    stage()
        .probe("the first attempt", duo.origin().submit(write))
        .awaitError(TransferFailedException.class);
    told(duo, messages, 1);
    valve.open();
    stage().done(duo.origin(), write);
    told(duo, messages, 2);
    Probe<Void> claim = stage().claim(duo.target(), imm, 2);
    stage().done(duo.origin(), duo.write(512, 100, imm));
    claim.awaitCompletion();
  }
}
