package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Imm;
import io.reactivetransfer.WriteImm;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Chapter 19: deadlines. */
abstract class DeadlineRules extends RuleGroup {

  private static final Duration SOON = Duration.ofMillis(20);

  DeadlineRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r19_1_aTransferEndsWithItsDeadline() {
    Valve valve = new Valve().shut();
    Duo duo = Duo.open(stage(), 1, valve);
    stage()
        .probe("a write", duo.origin().submit(duo.write(0, 100), SOON))
        .awaitError(DeadlineExceededException.class);
    valve.open();
    stage().done(duo.origin(), duo.write(500, 100));
    duo.expect(500, 100);
    stage().awaitBytes("after a deadline", duo.to());
    assertThat(valve.taken()).as("writes that were posted").hasSize(1);
  }

  @Test
  final void r19_2_aDeadlineWaitsForWhatWasPosted() {
    Valve valve = new Valve().limits(64, 1).holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve, options -> options.transferDeadline(SOON));
    WriteImm ofEightPieces = duo.write(0, valve.maxWriteBytes() * 8, stage().imm());
    // So that the target has greeted, and no time is lost by that.
    stage().complete(duo.origin().send(duo.peer(), ByteBuffer.allocate(1)));
    Probe<WriteImm> write = stage().probe("a write", duo.origin().submit(ofEightPieces));
    stage().patience().until("a piece posted", () -> valve.inFlight() == 1);
    stage().rest(SOON);
    write.assertSilent();
    valve.open();
    write.awaitError(DeadlineExceededException.class);
    assertThat(valve.taken()).as("pieces that were posted").hasSize(1);
    assertThat(valve.inFlight()).as("pieces that were not waited for").isZero();
  }

  @Test
  final void r19_3_aClaimEndsWithItsDeadlineAndReturnsWhatItHad() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    stage().done(duo.origin(), duo.signal(imm));
    stage().awaitArrivals(duo.target(), 1);
    stage()
        .probe("a claim of 2", duo.target().counter(imm).within(SOON).next(2))
        .awaitError(DeadlineExceededException.class);
    stage().complete(duo.target().counter(imm).next(1)); // what the other one had
    Probe<Void> patient = stage().claim(duo.target(), imm, 1);
    stage().done(duo.origin(), duo.signal(imm));
    patient.awaitCompletion();
  }
}
