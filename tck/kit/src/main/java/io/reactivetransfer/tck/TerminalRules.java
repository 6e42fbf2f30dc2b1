package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Chapter 5: exactly one terminal signal. */
abstract class TerminalRules extends RuleGroup {

  TerminalRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r5_1_everyPublisherEndsOnce() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    MemoryRegion region = duo.from().region();
    Probe<?> messages = stage().probe("messages", duo.target().messages());
    Probe<?> rounds = stage().probe("every", duo.target().counter(imm).every(100));
    Probe<?> claim = stage().claim(duo.target(), imm, 2);
    List<Probe<?>> work =
        List.of(
            stage().probe("submit one", duo.origin().submit(duo.write(0, 100, imm))),
            stage().probe("submit many", duo.origin().submit(Upstream.of(duo.writes(1, imm)))),
            stage().probe("register", duo.origin().register(stage().memory(100))),
            stage().probe("send", duo.origin().send(duo.peer(), ByteBuffer.allocate(10))),
            stage().probe("discard", duo.origin().counter(imm).discard()));
    work.forEach(Probe::awaitCompletion);
    List<Probe<?>> ends =
        List.of(
            stage().probe("quiesced", region.quiesced()),
            stage().probe("revoke", region.revoke()),
            stage().probe("close a region", region.close()),
            stage().probe("close the target", duo.target().close()),
            stage().probe("close the target again", duo.target().close()),
            messages);
    ends.forEach(Probe::awaitCompletion);
    rounds.awaitError(TransferRejectedException.class);
    claim.awaitTerminal();
    Probe<?> quiet = stage().probe("quiet", Upstream.open(List.of()));
    quiet.assertSilent();
    work.forEach(Probe::assertOneTerminalSignal);
    ends.forEach(Probe::assertOneTerminalSignal);
    rounds.assertOneTerminalSignal();
    claim.assertOneTerminalSignal();
  }

  @Test
  final void r5_2_anErrorFromUpstreamEndsTheStream() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    List<Write> writes = duo.writes(3);
    Upstream<Write> upstream = Upstream.open(writes);
    Probe<Write> stream = stage().probe("a stream", duo.origin().submit(upstream));
    stage().patience().until("3 writes posted", () -> valve.inFlight() == 3);
    IllegalStateException reason = new IllegalStateException("upstream has failed");
    upstream.fail(reason);
    stream.assertSilent();
    valve.open();
    expectSame(reason, stream.awaitError(IllegalStateException.class));
    stream.assertOneTerminalSignal();
  }

  @Test
  final void r5_3_severalFailuresGiveOneError() {
    Valve valve = new Valve().holdReports(w -> true).fail(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<Write> stream =
        stage().probe("a stream", duo.origin().submit(Upstream.of(duo.writes(5))));
    stage().patience().until("5 writes posted", () -> valve.inFlight() == 5);
    valve.open();
    stream.awaitError(TransferFailedException.class);
    stage().patience().until("nothing in flight", () -> valve.inFlight() == 0);
    stage().done(duo.origin(), duo.write(0, 10));
    stream.assertOneTerminalSignal();
  }

  @Test
  final void r5_4_whateverIsThrownEndsOnlyItsOwn() {
    TransferEngine origin =
        stage().open(1, options -> options.signalScheduler(Schedulers.immediate()));
    Duo duo = Duo.of(stage(), origin, stage().open(1));
    Probe<Void> claim = stage().claim(origin, stage().imm(), 1);
    for (Error thrown :
        List.of(
            new LinkageError("thrown by a test"),
            new StackOverflowError("thrown by a test"),
            new OutOfMemoryError("thrown by a test"))) {
      CountDownLatch later = new CountDownLatch(1);
      origin
          .scheduler()
          .schedule(() -> {
            throw thrown;
          });
      origin.scheduler().schedule(later::countDown);
      stage().patience().until("the task after one that throws", () -> later.getCount() == 0);
      Flux<Write> throwing =
          origin
              .submit(Upstream.of(duo.writes(3)))
              .map(write -> {
                throw thrown;
              });
      Probe<Write> stream = stage().probe("a stream whose subscriber throws", throwing);
      expectSame(thrown, stream.awaitError(Error.class));
      Flux<Long> failing =
          Flux.just(0L, 1L)
              .doOnNext(n -> {
                if (n == 1) {
                  throw thrown; // these out of the request for the second one
                }
              });
      Probe<Long> claims =
          stage()
              .probe(
                  "claims whose upstream throws when it is asked",
                  origin.counter(stage().imm()).claims(failing, n -> n));
      expectSame(thrown, claims.awaitError(Error.class));
      stage().done(origin, duo.write(0, 10));
      stream.assertOneTerminalSignal();
      claims.assertOneTerminalSignal();
    }
    claim.assertPending();
    stage().complete(origin.close());
    claim.awaitError(TransferRejectedException.class);
  }

  /** Said without the traces of both. */
  private static void expectSame(Throwable expected, Throwable actual) {
    assertThat(actual)
        .withFailMessage("expected a stream to end with that very '%s', got '%s'", expected, actual)
        .isSameAs(expected);
  }
}
