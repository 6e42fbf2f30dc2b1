package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Chapter 6: demand bounds flight. */
abstract class DemandRules extends RuleGroup {

  DemandRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r6_1_requestsFollowDemandAndWindow() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve, options -> options.window(4));
    Upstream<Write> upstream = Upstream.of(duo.writes(20));
    Probe<Write> stream = stage().probe("a stream", duo.origin().submit(upstream), 0);
    stream.assertSilent();
    assertThat(upstream.requested()).as("requested without demand").isZero();
    stream.request(2);
    stage().patience().until("2 writes posted", () -> valve.inFlight() == 2);
    assertThat(upstream.requested()).as("requested at a demand of 2").isEqualTo(2);
    stream.request(10);
    stage().patience().until("4 writes posted", () -> valve.inFlight() == 4);
    stream.assertSilent();
    assertThat(upstream.requested()).as("requested at a window of 4").isEqualTo(4);
    valve.open();
    stream.awaitValues(12);
    stream.assertSilent();
    assertThat(upstream.requested()).as("requested at a demand of 12").isEqualTo(12);
    stream.request(100);
    assertThat(stream.awaitCompletion()).hasSize(20);
    assertThat(valve.mostInFlight()).as("most in flight at a window of 4").isLessThanOrEqualTo(4);
  }

  @Test
  final void r6_2_aNicHasNoMoreThanItsDepth() {
    Valve shallow = new Valve().limits(Long.MAX_VALUE, 2).holdReports(w -> true);
    Valve deep = new Valve().holdReports(w -> true);
    Duo byNic = Duo.open(stage(), 1, shallow);
    Duo byOptions = Duo.open(stage(), 1, deep, options -> options.nicDepth(3));
    fill(byNic, shallow, 2);
    fill(byOptions, deep, 3);
  }

  @Test
  final void r6_3_aPeerHasNoMoreThanItsDepth() {
    Valve valve = new Valve().holdReports(w -> true);
    fill(Duo.open(stage(), 2, valve, options -> options.peerDepth(3)), valve, 3);
  }

  private void fill(Duo duo, Valve valve, int depth) {
    Probe<WriteImm> stream =
        stage().probe("20 writes", duo.origin().submit(Upstream.of(duo.writes(20, stage().imm()))));
    stage().patience().until(depth + " writes posted", () -> valve.inFlight() >= depth);
    stream.assertSilent();
    valve.open();
    stream.awaitCompletion();
    assertThat(valve.mostInFlight()).as("most in flight").isEqualTo(depth);
  }

  @Test
  final void r6_4_aSlowPeerHoldsBackNoOther() {
    TransferEngine slow = stage().open(1);
    Valve valve = new Valve().holdWrites(w -> w.peer().equals(slow.id()));
    Stage.Tuning tuning = options -> options.nicDepth(8).peerDepth(4);
    Duo quick = Duo.open(stage(), 1, valve, tuning);
    Duo stuck = Duo.of(stage(), quick.origin(), slow);
    Probe<Write> held =
        stage().probe("to the slow one", quick.origin().submit(Upstream.of(stuck.writes(16))));
    stage().patience().until("4 writes posted", () -> valve.inFlight() >= 4);
    stage()
        .probe("to the quick one", quick.origin().submit(Upstream.of(quick.writes(50))))
        .awaitCompletion();
    held.assertPending();
    valve.open();
    held.awaitCompletion();
  }

  @Test
  final void r6_5_oneSubscriptionTooManyIsRejected() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve, options -> options.maxSubmissions(2));
    Probe<Write> first = stage().probe("first", duo.origin().submit(duo.write(0, 10)));
    Probe<Write> second = stage().probe("second", duo.origin().submit(duo.write(64, 10)));
    stage()
        .probe("third", duo.origin().submit(duo.write(128, 10)))
        .awaitError(TransferRejectedException.class);
    valve.open();
    first.awaitCompletion();
    second.awaitCompletion();
    stage()
        .patience()
        .until(
            "room again",
            () -> {
              Probe<Write> again = stage().probe("again", duo.origin().submit(duo.write(0, 10)));
              again.awaitTerminal();
              return !again.values().isEmpty();
            });
    assertThat(valve.taken().size()).as("writes that were posted").isEqualTo(3);
  }

  @Test
  final void r6_6_aPeerHasNoMoreBytesThanItsShare() {
    Valve valve = new Valve().holdReports(w -> true);
    long bytes = 3 * Duo.WRITE_BYTES + 1;
    fill(Duo.open(stage(), 2, valve, options -> options.peerBytes(bytes)), valve, 3);
    Valve alone = new Valve().holdReports(w -> true);
    fill(Duo.open(stage(), 2, alone, options -> options.peerBytes(1)), alone, 1);
  }

  @Test
  final void r6_7_streamsToOnePeerTakeTurns() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve, options -> options.nicDepth(2).window(64));
    Probe<Write> many =
        stage().probe("40 writes", duo.origin().submit(Upstream.of(duo.writes(40))));
    stage().patience().until("2 writes posted", () -> valve.inFlight() >= 2);
    long length = Duo.WRITE_BYTES + 1;
    Probe<Write> one = stage().probe("another stream", duo.origin().submit(duo.write(0, length)));
    stage()
        .patience()
        .until("it is taken over", () -> duo.origin().stats().transfersInFlight() == 41);
    valve.open();
    one.awaitCompletion();
    many.awaitCompletion();
    int place =
        valve.taken().stream().filter(w -> w.length() == length).findFirst().orElseThrow().number();
    assertThat(place).as("writes that were posted before it").isLessThan(10);
  }

  @Test
  final void r6_7_transfersOfOneStreamArePostedInOrder() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve, options -> options.nicDepth(2).window(64));
    PageList pages = PageList.range(0, 100);
    List<PagedWrite> writes =
        IntStream.rangeClosed(1, 3)
            .mapToObj(bytes ->
                PagedWrite.of(
                    bytes,
                    duo.source(bytes * 1_000L, 100L * bytes),
                    pages,
                    duo.sink(bytes * 1_000L, 100L * bytes),
                    pages,
                    null))
            .toList();
    Probe<PagedWrite> stream =
        stage().probe("3 writes of 100 pages", duo.origin().submit(Upstream.of(writes)));
    stage()
        .patience()
        .until("they are taken over", () -> duo.origin().stats().transfersInFlight() == 3);
    valve.open();
    stream.awaitCompletion();
    assertThat(valve.taken().stream().map(Valve.Taken::length))
        .as("lengths of the pages of the first, the second and the third write")
        .isSorted()
        .hasSize(300);
  }

  @Test
  final void r6_8_whatIsEmittedIsPostedBeforeTheNextIsThere() {
    Valve valve = new Valve();
    Duo duo = Duo.open(stage(), 1, valve);
    List<Write> writes = duo.writes(4);
    Flux<Write> computed =
        Flux.range(0, writes.size())
            .map(i -> {
              stage()
                  .patience()
                  .until("write " + i + " posted before the next", () -> valve.taken().size() >= i);
              return writes.get(i);
            });
    Probe<Write> stream = stage().probe("a stream", duo.origin().submit(computed));
    assertThat(stream.awaitCompletion()).hasSize(writes.size());
  }
}
