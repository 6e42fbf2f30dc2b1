package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Scatter.Part;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.Upstream;
import io.reactivetransfer.engine.base.Probe;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What comes from above: its ends, its errors, and what it must not do. */
class UpstreamTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final Upstream<Transfer> upstream = new Upstream<>();
  private MemoryRegion source;

  private void open(int window) {
    hand.open(1, o -> o.window(window));
    source = hand.region();
  }

  private Write write() {
    return Write.of(source.slice(0, 10), hand.remote(1).slice(0, 10));
  }

  private Probe<Transfer> submit() {
    Probe<Transfer> probe = hand.probe(hand.engine().submit(upstream));
    hand.turn();
    return probe;
  }

  private void emit(int count) {
    for (int i = 0; i < count; i++) {
      upstream.emit(write());
    }
    hand.turn();
  }

  @Test
  void nothingIsDoneBeforeTheSubscription() {
    open(8);
    hand.engine().submit(write());
    Flux<Transfer> flux = hand.engine().submit(upstream);
    hand.turn();
    assertThat(hand.posted()).isEmpty();
    assertThat(upstream.requested()).isZero();
    assertThat(flux).isNotNull();
  }

  @Test
  void eachSubscriptionSubmitsAnew() {
    open(8);
    Mono<Write> mono = hand.engine().submit(write());
    Flux<Write> flux = hand.engine().submit(Flux.just(write(), write()));
    for (int i = 0; i < 2; i++) {
      Probe<Write> one = hand.probe(mono);
      Probe<Write> two = hand.probe(flux);
      hand.turn();
      hand.completeAll();
      assertThat(one.assertComplete().count()).isEqualTo(1);
      assertThat(two.assertComplete().count()).isEqualTo(2);
    }
    assertThat(hand.posted()).hasSize(6);
  }

  @Test
  void whatIsEmittedIsTheCallersOwnObjectInTheOrderInWhichTheyAreDone() {
    open(8);
    Probe<Transfer> probe = submit();
    List<Write> writes = List.of(write(), write(), write());
    writes.forEach(upstream::emit);
    hand.turn();
    var pieces = hand.inFlight();
    hand.complete(pieces.get(1));
    hand.complete(pieces.get(2));
    hand.complete(pieces.get(0));
    assertThat(probe.items()).hasSize(3);
    assertThat(probe.items().get(0)).isSameAs(writes.get(1));
    assertThat(probe.items().get(1)).isSameAs(writes.get(2));
    assertThat(probe.items().get(2)).isSameAs(writes.get(0));
    probe.assertOpen();
    upstream.complete();
    hand.turn();
    probe.assertComplete();
  }

  @Test
  void aStreamThatFailsAndCannotSayWhyEndsItself() {
    open(8);
    Probe<Transfer> bystander = hand.probe(hand.engine().submit(new Upstream<>()));
    Probe<Transfer> probe = submit();
    RuntimeException mute =
        new RuntimeException() {
          @Override
          public String getMessage() {
            throw new IllegalStateException("thrown by a test");
          }
        };
    upstream.emit(WriteImm.of(source.slice(0, 1), hand.remote(1).slice(0, 1), Imm.of(3)));
    upstream.fail(mute);
    hand.turn();
    hand.completeAll();
    assertThat(probe.error()).isSameAs(mute);
    bystander.assertOpen();
  }

  @Test
  void anErrorThatIsNoneIsNoCompletion() {
    open(8);
    Probe<Transfer> probe = submit();
    upstream.fail(null);
    hand.turn();
    assertThat(probe.error())
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("rule 2.13");
  }

  @Test
  void anEmptyStreamCompletes() {
    open(8);
    Probe<Write> probe = hand.probe(hand.engine().submit(Flux.<Write>empty()));
    hand.turn();
    probe.assertComplete();
    Probe<Write> undemanded = hand.probe(hand.engine().submit(Flux.<Write>empty()), new Probe<>(0));
    hand.turn();
    undemanded.assertComplete();
  }

  @Test
  void completionWaitsForWhatIsInFlight() {
    open(8);
    Probe<Transfer> probe = submit();
    emit(2);
    upstream.complete();
    hand.complete(hand.inFlight().getFirst());
    probe.assertOpen();
    hand.complete(hand.inFlight().getFirst());
    assertThat(probe.assertComplete().count()).isEqualTo(2);
  }

  @Test
  void anErrorWaitsForWhatIsInFlight() {
    open(8);
    Probe<Transfer> probe = submit();
    emit(2);
    hand.complete(hand.inFlight().getFirst());
    RuntimeException reason = new IllegalStateException("upstream's own");
    upstream.fail(reason);
    hand.turn();
    probe.assertOpen();
    hand.completeAll();
    assertThat(probe.error()).isSameAs(reason);
    assertThat(probe.items()).isNotEmpty();
    assertThat(upstream.isCancelled()).isFalse();
  }

  @Test
  void anErrorAtOnceIsPassedOn() {
    open(8);
    RuntimeException reason = new IllegalStateException("at once");
    Probe<Write> probe =
        hand.probe(hand.engine().submit(Flux.<Write>error(reason)), new Probe<>(0));
    hand.turn();
    assertThat(probe.error()).isSameAs(reason);
  }

  @Test
  void anErrorBeforePostingPostsNoMore() {
    open(8);
    hand.nic(0).room = 1;
    Probe<Transfer> probe = submit();
    emit(4);
    upstream.fail(new IllegalStateException("too late"));
    hand.turn();
    hand.nic(0).room = 100;
    hand.turn();
    assertThat(hand.posted()).hasSize(1);
    hand.completeAll();
    assertThat(probe.error()).hasMessage("too late");
  }

  // ---- what must not be done ----

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 8})
  void emittingFarMoreThanAskedForIsAnError(int window) {
    open(window);
    Probe<Transfer> probe = submit();
    emit(50);
    assertThat(upstream.isCancelled()).isTrue();
    hand.settle();
    assertThat(probe.error())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("rule 1.1");
    assertThat(hand.posted()).hasSizeLessThanOrEqualTo(Math.max(4, window));
  }

  /** Nobody downstream gets more than he asked for, whatever upstream does. */
  @Test
  void emittingOneMoreThanAskedForIsAnError() {
    open(1);
    Probe<Transfer> probe = hand.probe(hand.engine().submit(upstream), new Probe<>(1));
    hand.turn();
    emit(2);
    hand.settle();
    assertThat(probe.count()).isLessThanOrEqualTo(1);
    assertThat(probe.error())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("rule 1.1");
    assertThat(upstream.isCancelled()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void askingForLessThanOneIsAnErrorWhenTheRestIsBack(long n) {
    open(8);
    Probe<Transfer> probe = submit();
    emit(2);
    probe.request(n);
    hand.turn();
    assertThat(upstream.isCancelled()).isTrue();
    probe.assertOpen();
    hand.completeAll();
    assertThat(probe.error())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rule 3.9");
  }

  @Test
  void askingForNothingAtOnceIsAnError() {
    open(8);
    Probe<Transfer> probe =
        hand.probe(
            hand.engine().submit(upstream),
            new Probe<Transfer>(0).onSubscription(p -> p.request(0)));
    hand.turn();
    assertThat(probe.error()).isInstanceOf(IllegalArgumentException.class);
    assertThat(upstream.requested()).isZero();
  }

  @Test
  void askingAfterTheEndIsNothing() {
    open(8);
    Probe<Transfer> probe = submit();
    emit(1);
    upstream.complete();
    hand.settle();
    probe.request(5);
    probe.request(-1);
    hand.turn();
    probe.assertComplete();
  }

  @Test
  void emittingAfterTheEndIsNothing() {
    open(8);
    Probe<Transfer> probe = submit();
    upstream.complete();
    hand.turn();
    upstream.emit(write());
    upstream.complete();
    hand.turn();
    probe.assertComplete();
    assertThat(hand.posted()).isEmpty();
  }

  @Test
  void emittingFromWithinTheRequest() {
    open(8);
    upstream.onRequest(n -> {
      for (long i = 0; i < n; i++) {
        upstream.emit(write());
      }
    });
    Probe<Transfer> probe = hand.probe(hand.engine().submit(upstream), new Probe<>(0));
    probe.request(3);
    hand.turn();
    hand.completeAll();
    assertThat(probe.count()).isEqualTo(3);
    probe.request(2);
    upstream.complete();
    hand.settle();
    assertThat(probe.assertComplete().count()).isEqualTo(5);
  }

  @Test
  void askingFromWithinOnNext() {
    open(4);
    Probe<Write> probe = new Probe<Write>(1).onItem((p, item) -> p.request(1));
    hand.probe(hand.engine().submit(Flux.range(0, 50).map(i -> write())), probe);
    hand.turn();
    hand.settle();
    assertThat(probe.assertComplete().count()).isEqualTo(50);
  }

  @Test
  void demandAddsUpToNoEnd() {
    open(4);
    Probe<Write> probe = hand.probe(hand.engine().submit(Flux.range(0, 20).map(i -> write())));
    probe.request(Long.MAX_VALUE);
    probe.request(1);
    hand.turn();
    hand.settle();
    assertThat(probe.assertComplete().count()).isEqualTo(20);
  }

  @Test
  void aTransferThatCanNeverFitIsRejected() {
    open(8);
    Part part = new Part(source.slice(0, 1), hand.remote(1).slice(0, 1));
    Scatter huge = new Scatter(Collections.nCopies(FlightTable.MAX_FLIGHTS + 1, part), null);
    Probe<Scatter> probe = hand.probe(hand.engine().submit(huge));
    hand.turn();
    assertThat(probe.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining(String.valueOf(FlightTable.MAX_FLIGHTS));
  }

  @Test
  void whatWaitsForRoomCanBeCancelledOrGoesOnWhenThereIs() {
    hand.open(1, o -> o.window(8).peerDepth(1).nicDepth(1));
    source = hand.region();
    Part part = new Part(source.slice(0, 1), hand.remote(1).slice(0, 1));
    Scatter large = new Scatter(Collections.nCopies(FlightTable.MAX_FLIGHTS - 1, part), null);
    Scatter small = new Scatter(List.of(part, part), null);
    Probe<Scatter> first = hand.probe(hand.engine().submit(large));
    Probe<Scatter> cancelled = hand.probe(hand.engine().submit(small));
    Probe<Scatter> waiting = hand.probe(hand.engine().submit(small));
    hand.turn();
    assertThat(hand.stats().transfersInFlight()).isEqualTo(1);
    cancelled.cancel();
    hand.turn();
    waiting.assertOpen();
    first.cancel();
    hand.turn();
    hand.settle();
    assertThat(waiting.assertComplete().count()).isEqualTo(1);
    assertThat(hand.posted()).hasSize(3);
  }

  @Test
  void whatWasTakenAndNotBegunIsDiscarded() {
    open(4);
    hand.nic(0).room = 0;
    List<Object> discarded = new ArrayList<>();
    Probe<Transfer> probe =
        hand.probe(hand.engine().submit(upstream).doOnDiscard(Transfer.class, discarded::add));
    Write write = write();
    upstream.emit(write);
    probe.cancel();
    hand.turn();
    assertThat(discarded).containsExactly(write);
  }

  /**
   * Between the look at upstream and the report of its last transfer, another thread may fail it.
   */
  @Test
  void anErrorThatComesJustBeforeTheLastReportIsNotLost() {
    open(8);
    Probe<Transfer> probe = submit();
    emit(1);
    IllegalStateException failure = new IllegalStateException("upstream failed");
    hand.nic(0).report(sink -> upstream.fail(failure));
    hand.complete(hand.inFlight().getFirst());
    assertThat(probe.error()).isSameAs(failure);
  }

  @Test
  void aMisuseThatComesJustBeforeTheLastReportIsNotLost() {
    open(1);
    Probe<Transfer> probe = submit();
    emit(1);
    Write tooMany = write();
    hand.nic(0)
        .report(sink -> {
          upstream.emit(tooMany);
          upstream.complete();
        });
    hand.complete(hand.inFlight().getFirst());
    assertThat(probe.error()).hasMessageContaining("rule 1.1");
  }
}
