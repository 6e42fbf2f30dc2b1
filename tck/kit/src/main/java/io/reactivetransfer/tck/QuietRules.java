package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Chapter 3: quiet before terminal. */
abstract class QuietRules extends RuleGroup {

  private static final int PAGES = 24;

  QuietRules(TransferConformance kit) {
    super(kit);
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("severalNics")
  final void r3_1_aTransferIsDoneWithItsLastPiece(int nics) {
    Valve valve = new Valve().holdReports(piece -> piece.number() == nics - 1);
    Duo duo = Duo.open(stage(), nics, valve);
    long length = Math.min(4_096, valve.maxWriteBytes()) * nics;
    Probe<Write> write = stage().probe("a write", duo.origin().submit(duo.write(128, length)));
    stage().patience().until("a piece for each NIC", () -> valve.ended() == nics);
    write.assertSilent();
    valve.open();
    write.awaitCompletion();
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("fewNics")
  final void r3_8_whatIsReportedTogetherIsAsManyAsItSays(int nics) {
    Valve valve = new Valve().merge().holdReports(write -> true);
    Duo duo = Duo.open(stage(), nics, valve);
    Imm imm = stage().imm();
    PageList pages = PageList.range(0, PAGES);
    long length = PAGES * 32L;
    PagedWrite transfer =
        PagedWrite.of(32, duo.source(0, length), pages, duo.sink(0, length), pages, imm);
    Probe<PagedWrite> write = stage().probe("pages", duo.origin().submit(transfer));
    stage().patience().until("all pages ended", () -> valve.ended() == PAGES);
    valve.holdReports(page -> page.number() >= PAGES - nics); // of each NIC, one is left
    stage().patience().until("reports of the rest", () -> valve.merged() == PAGES - nics);
    write.assertSilent();
    valve.open();
    write.awaitCompletion();
    duo.expect(0, length);
    stage().awaitBytes("of pages that were reported together", duo.to());
    stage().complete(duo.target().counter(imm).next(PAGES));
  }

  @Test
  final void r3_2_afterAFailureNothingIsPostedAndAllIsAwaited() {
    Valve valve = new Valve().holdReports(w -> w.number() != 5).fail(w -> w.number() == 5);
    Duo duo = Duo.open(stage(), 1, valve, options -> options.window(6));
    Upstream<Write> upstream = Upstream.open(duo.writes(20));
    Probe<Write> stream = stage().probe("a stream", duo.origin().submit(upstream));
    stage().patience().until("upstream cancelled", upstream::isCancelled);
    stream.assertSilent();
    assertThat(valve.taken()).as("writes that were posted").hasSize(6);
    valve.open();
    stream.awaitError(TransferFailedException.class);
    assertThat(valve.taken()).as("writes that were posted").hasSize(6);
    assertThat(valve.inFlight()).as("writes that were not waited for").isZero();
  }

  @Test
  final void r3_3_whatWasDoneBeforeTheFailureIsEmitted() {
    Valve valve = new Valve().holdReports(w -> true).fail(w -> w.number() == 3);
    Duo duo = Duo.open(stage(), 1, valve);
    List<Write> writes = duo.writes(4);
    Probe<Write> stream = stage().probe("a stream", duo.origin().submit(Upstream.of(writes)));
    stage().patience().until("4 writes ended", () -> valve.ended() == 4);
    valve.open();
    stream.awaitError(TransferFailedException.class);
    assertThat(stream.values()).containsExactlyInAnyOrderElementsOf(writes.subList(0, 3));
  }

  @Test
  final void r3_4_aRegionIsQuietWhenItsLastTransferIs() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<Write> first = stage().probe("a write", duo.origin().submit(duo.write(0, 100)));
    stage().patience().until("a write ended", () -> valve.ended() == 1);
    Probe<Write> second = stage().probe("a write", duo.origin().submit(duo.write(500, 100)));
    stage().patience().until("two writes ended", () -> valve.ended() == 2);
    Probe<Void> quiesced = stage().probe("quiesced", duo.from().region().quiesced());
    valve.holdReports(w -> w.number() == 1);
    first.awaitCompletion();
    quiesced.assertSilent();
    valve.open();
    quiesced.awaitCompletion();
    second.awaitCompletion();
  }

  @Test
  final void r3_5_closingARegionWaitsUntilItIsQuiet() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<Write> write = stage().probe("a write", duo.origin().submit(duo.write(0, 100)));
    stage().patience().until("a write posted", () -> valve.inFlight() == 1);
    Probe<Void> close = stage().probe("closing a region", duo.from().region().close());
    close.assertSilent();
    valve.open();
    close.awaitCompletion();
    write.awaitCompletion();
  }

  @Test
  final void r3_6_aFailureSaysWhereAndWhat() {
    Valve valve = new Valve().fail(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    TransferFailedException failure =
        stage()
            .probe("a write", duo.origin().submit(duo.write(0, 100)))
            .awaitError(TransferFailedException.class);
    assertThat(failure.code()).as("code").isEqualTo(ValveDomain.FAILURE_CODE);
    assertThat(failure).hasMessageContaining(ValveDomain.FAILURE_TEXT);
    assertThat(failure.nic()).as("NIC").isEqualTo(duo.origin().nics().getFirst().name());
    assertThat(failure.peer()).as("peer").isEqualTo(duo.target().id());
  }

  @Test
  final void r3_7_quietIsNeverSaidOfMemoryThatANicCouldNotGiveUp() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve, options -> options.closeTimeout(Duration.ofMillis(50)));
    stage().closedWithAnError(duo.origin());
    Probe<Write> write = stage().probe("a write", duo.origin().submit(duo.write(0, 100)));
    stage().patience().until("a write posted", () -> valve.inFlight() == 1);
    Probe<Void> quiesced = stage().probe("quiesced", duo.from().region().quiesced());
    Probe<Void> closed = stage().probe("closing a region", duo.from().region().close());
    closed.assertSilent();
    valve.refuseToLetGo();
    Probe<Void> engine = stage().probe("closing an engine", duo.origin().close());
    for (Probe<?> waiting : List.of(engine, write, quiesced, closed)) {
      assertSaysWhatWasRefused(duo, waiting);
    }
    for (Mono<Void> late : List.of(duo.from().region().quiesced(), duo.origin().close())) {
      assertSaysWhatWasRefused(duo, stage().probe("late", late));
    }
  }

  private static void assertSaysWhatWasRefused(Duo duo, Probe<?> probe) {
    TransferFailedException failure = probe.awaitError(TransferFailedException.class);
    assertThat(failure.code()).as("code").isEqualTo(ValveDomain.FAILURE_CODE);
    assertThat(failure).hasMessageContaining(ValveDomain.FAILURE_TEXT);
    assertThat(failure.nic()).as("NIC").isEqualTo(duo.origin().nics().getFirst().name());
  }
}
