package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Rule 5: exactly one terminal signal for each subscription, at close too, in whatever state. */
class CloseTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private static final Imm IMM = Imm.of(8);
  private MemoryRegion source;

  private void open() {
    hand.open(2, o -> o.window(8));
    source = hand.region();
  }

  private Write write() {
    return Write.of(source.slice(0, 10), hand.remote(1).slice(0, 10));
  }

  private static void assertClosedError(Probe<?> probe) {
    assertThat(probe.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void anIdleEngineCloses() {
    open();
    Probe<Void> closing = hand.close();
    closing.assertComplete();
    assertThat(hand.engine().isClosed()).isTrue();
    assertThat(hand.nics()).allMatch(ScriptedNic::isClosed).allMatch(n -> n.registrations() <= 1);
    assertThat(hand.loop.isClosed()).isTrue();
  }

  @Test
  void beforeTheSubscriptionNothingIsClosed() {
    open();
    Mono<Void> close = hand.engine().close();
    hand.turn();
    assertThat(hand.engine().isClosed()).isFalse();
    hand.probe(close);
    assertThat(hand.engine().isClosed()).isTrue();
  }

  @Test
  void itWaitsForTheThreadToEnd() {
    open();
    hand.loop.endsAtOnce = false;
    Probe<Void> first = hand.close().assertOpen();
    Probe<Void> second = hand.probe(hand.engine().close()).assertOpen();
    hand.loop.end();
    first.assertComplete();
    second.assertComplete();
    hand.probe(hand.engine().close()).assertComplete();
  }

  /** Whoever opens another engine then, may give it the port of this one. */
  @Test
  void itWaitsForTheControlChannelToEnd() {
    open();
    CompletableFuture<Void> ended = new CompletableFuture<>();
    hand.control().ended = ended;
    Probe<Void> close = hand.close().assertOpen();
    ended.complete(null);
    hand.loop.runUntilIdle();
    close.assertComplete();
  }

  @Test
  void aControlChannelThatEndsWithAFailureHasEnded() {
    open();
    hand.control().ended = CompletableFuture.failedStage(new IllegalStateException("told to"));
    hand.close().assertComplete();
  }

  @Test
  void closingTwiceCompletesTogether() {
    open();
    hand.probe(hand.engine().submit(write()));
    hand.turn();
    Probe<Void> first = hand.close().assertOpen();
    Probe<Void> second = hand.close().assertOpen();
    hand.completeAll();
    first.assertComplete();
    second.assertComplete();
    hand.close().assertComplete();
    assertThat(hand.backend.journal()).filteredOn(e -> e.contains("closed")).hasSize(3);
    assertThat(hand.backend.journal()).last().isEqualTo("control closed");
  }

  @Test
  void cancellingTheCloseDropsItsSignalOnly() {
    open();
    hand.probe(hand.engine().submit(write()));
    hand.turn();
    Probe<Void> dropped = hand.close();
    dropped.cancel();
    hand.completeAll();
    assertThat(hand.nics()).allMatch(ScriptedNic::isClosed);
    assertThat(dropped.terminals()).isZero();
  }

  @Test
  void whatIsInFlightIsWaitedFor() {
    open();
    Probe<Write> probe = hand.probe(hand.engine().submit(Flux.just(write(), write())));
    hand.turn();
    Probe<Void> closing = hand.close().assertOpen();
    probe.assertOpen();
    assertThat(hand.nics()).noneMatch(ScriptedNic::isClosed);
    hand.complete(hand.inFlight().getFirst());
    closing.assertOpen();
    hand.complete(hand.inFlight().getFirst());
    assertThat(probe.terminals()).isEqualTo(1);
    closing.assertComplete();
  }

  /** One element and then an error would be no Mono. */
  @Test
  void whatTurnsOutToBeDoneAsAWholeCompletes() {
    open();
    Probe<Write> one = hand.probe(hand.engine().submit(write()));
    Probe<Write> stream = hand.probe(hand.engine().submit(Flux.just(write(), write())));
    hand.turn();
    Probe<Void> closing = hand.close().assertOpen();
    hand.completeAll();
    assertThat(one.assertComplete().count()).isEqualTo(1);
    assertThat(stream.assertComplete().count()).isEqualTo(2);
    closing.assertComplete();
  }

  @Test
  void whatMightHaveGoneOnFails() {
    open();
    Upstream<Write> upstream = new Upstream<>();
    Probe<Write> probe = hand.probe(hand.engine().submit(upstream));
    upstream.emit(write());
    hand.turn();
    hand.close();
    hand.completeAll();
    assertThat(probe.items()).hasSize(1);
    assertClosedError(probe);
  }

  @Test
  void whatComesBetweenTheEndAndItsSignalIsDiscarded() {
    HandScheduler signals = new HandScheduler();
    hand.signals = signals;
    open();
    Upstream<Write> upstream = new Upstream<>();
    List<Object> discarded = new ArrayList<>();
    Probe<Outcome<Write>> probe =
        hand.probe(hand.engine().submitEach(upstream).doOnDiscard(Write.class, discarded::add));
    hand.turn();
    Write late = write();
    hand.probe(hand.engine().close());
    hand.turnWorker();
    upstream.emit(late);
    hand.settle();
    assertClosedError(probe);
    assertThat(probe.items()).isEmpty();
    assertThat(discarded).containsExactly(late);
  }

  @Test
  void whatIsRefusedIsNotPosted() {
    open();
    hand.nics().forEach(nic -> nic.room = 0);
    Probe<Write> probe = hand.probe(hand.engine().submit(write()));
    hand.turn();
    hand.close().assertComplete();
    assertClosedError(probe);
    assertThat(hand.posted()).isEmpty();
  }

  /** Also where what went before, in the same places of the engine's tables, had no immediate. */
  @Test
  void whatTheNicsRefusedOfABatchWasNotPosted() {
    open();
    hand.probe(hand.engine().submit(Flux.range(0, 8).map(i -> write())));
    hand.settle();
    hand.nics().forEach(nic -> nic.room = 1);
    WriteImm counted = WriteImm.of(source.slice(0, 10), hand.remote(1).slice(0, 10), IMM);
    Probe<Outcome<WriteImm>> probe =
        hand.probe(hand.engine().submitEach(Flux.range(0, 6).map(i -> counted)));
    hand.turn();
    assertThat(hand.inFlight()).hasSize(2);
    Probe<Void> closing = hand.close().assertOpen();
    hand.completeAll();
    assertThat(probe.items().stream().filter(each -> each.failure() != null).map(Outcome::failure))
        .isNotEmpty()
        .allMatch(TransferRejectedException.class::isInstance);
    closing.assertComplete();
  }

  @Test
  void whatIsHalfPostedIsNotPostedFurther() {
    hand.backend.maxWriteBytes = 5;
    open();
    hand.nic(0).room = 1;
    hand.nic(1).room = 0;
    Probe<Write> probe = hand.probe(hand.engine().submit(write()));
    hand.turn();
    Probe<Void> closing = hand.close().assertOpen();
    hand.nics().forEach(nic -> nic.room = 100);
    hand.turn();
    assertThat(hand.posted()).hasSize(1);
    probe.assertOpen();
    hand.completeAll();
    assertThat(probe.error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContaining("closed when only a part");
    closing.assertComplete();
  }

  @Test
  void aStreamWhoseUpstreamIsSilentEnds() {
    open();
    Upstream<Write> upstream = new Upstream<>();
    Probe<Write> demanded = hand.probe(hand.engine().submit(upstream));
    Probe<Write> undemanded = hand.probe(hand.engine().submit(Flux.<Write>never()), new Probe<>(0));
    hand.turn();
    hand.close().assertComplete();
    assertClosedError(demanded);
    assertClosedError(undemanded);
    assertThat(upstream.isCancelled()).isTrue();
  }

  @Test
  void whatIsQueuedButNotTakenEnds() {
    open();
    Probe<Write> probe = hand.probe(hand.engine().submit(Flux.just(write(), write())));
    Probe<Void> closing = hand.close(); // both before the first turn
    hand.settle();
    closing.assertComplete();
    assertThat(probe.terminals()).isEqualTo(1);
  }

  @Test
  void claimsThatWaitFail() {
    open();
    Probe<Void> next = hand.probe(hand.engine().counter(IMM).next(3));
    Probe<Void> undemanded = hand.probe(hand.engine().counter(IMM).next(3), new Probe<>(0));
    Probe<Long> every = hand.probe(hand.engine().counter(IMM).every(2));
    Probe<Long> everyUndemanded = hand.probe(hand.engine().counter(IMM).every(2), new Probe<>(0));
    Probe<Void> bound = hand.probe(hand.engine().counter(Imm.of(9)).boundTo(hand.peer(1)).next(3));
    hand.turn();
    hand.close().assertComplete();
    for (Probe<?> probe : List.of(next, undemanded, every, everyUndemanded, bound)) {
      assertClosedError(probe);
    }
  }

  @Test
  void aCounterThatHadItsDemandMetFails() {
    open();
    Probe<Long> every = hand.probe(hand.engine().counter(IMM).every(1), new Probe<>(2));
    hand.turn();
    hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    hand.turn();
    assertThat(every.items()).containsExactly(1L, 2L);
    hand.close().assertComplete();
    assertClosedError(every);
  }

  @Test
  void messagesComplete() {
    open();
    Probe<Message> messages = hand.probe(hand.engine().messages());
    hand.turn();
    hand.close().assertComplete();
    messages.assertComplete();
  }

  @Test
  void messagesWithoutDemandComplete() {
    open();
    Probe<Message> messages = hand.probe(hand.engine().messages(), new Probe<>(0));
    hand.turn();
    hand.close().assertComplete();
    messages.assertComplete();
  }

  @Test
  void sendsWithoutCreditFail() {
    open();
    Probe<Void> send = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    hand.turn();
    hand.close().assertComplete();
    assertClosedError(send);
  }

  @Test
  void sendsThatTheNicRefusesFail() {
    open();
    hand.control().sendRoom = 0;
    Probe<Void> send = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    hand.turn();
    hand.close().assertComplete();
    assertClosedError(send);
  }

  @Test
  void regionsAreClosed() {
    open();
    Write write = write();
    hand.probe(hand.engine().submit(write));
    hand.turn();
    Probe<Void> quiesced = hand.probe(source.quiesced());
    Probe<Void> closed = hand.probe(source.close());
    Probe<Void> closing = hand.close().assertOpen();
    quiesced.assertOpen();
    closed.assertOpen();
    hand.completeAll();
    quiesced.assertComplete();
    closed.assertComplete();
    closing.assertComplete();
  }

  @Test
  void aRegionThatWasNotClosedIsClosed() {
    open();
    MemoryRegion other = hand.region();
    hand.close().assertComplete();
    assertThat(other.isClosed()).isTrue();
    assertThat(hand.stats().openRegions()).isZero();
    hand.probe(other.close()).assertComplete();
    hand.probe(other.quiesced()).assertComplete();
    hand.probe(other.revoke()).assertComplete();
  }

  @Test
  void afterwardsEverySubscriptionIsRefused() {
    open();
    TransferEngine engine = hand.engine();
    Write write = write();
    var peer = hand.peer(1);
    List<Supplier<Publisher<?>>> all =
        List.of(
            () -> engine.submit(Flux.just(write)),
            () -> engine.counter(IMM).next(1),
            () -> engine.counter(IMM).every(1),
            () -> engine.messages(),
            () -> engine.send(peer, ByteBuffer.allocate(1)),
            () -> engine.register(new HostMemory(Arena.ofAuto().allocate(10)), Access.LOCAL));
    Mono<Write> prepared = engine.submit(write);
    hand.close().assertComplete();
    for (Supplier<Publisher<?>> one : all) {
      Probe<Object> probe = Probe.unbounded();
      hand.probe(Flux.from(one.get()).cast(Object.class), probe);
      assertClosedError(probe);
    }
    assertClosedError(hand.probe(prepared));
    hand.probe(engine.counter(IMM).discard()).assertComplete();
  }

  @Test
  void whileItClosesNothingNewIsTaken() {
    open();
    Probe<Write> running = hand.probe(hand.engine().submit(write()));
    hand.turn();
    Write write = write();
    Mono<Write> prepared = hand.engine().submit(write);
    Probe<Void> closing = hand.close().assertOpen();
    assertClosedError(hand.probe(prepared));
    assertClosedError(hand.probe(hand.engine().counter(IMM).next(1)));
    Probe<MemoryRegion> registering =
        hand.probe(
            hand.engine().register(new HostMemory(Arena.ofAuto().allocate(10)), Access.LOCAL));
    Probe<Void> sending = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    hand.turn();
    assertClosedError(registering);
    assertClosedError(sending);
    hand.completeAll();
    assertThat(running.terminals()).isEqualTo(1);
    closing.assertComplete();
  }

  /** Subscribed before the close, seen by the worker after it. */
  @Test
  void whatWasSubscribedJustBeforeEnds() {
    open();
    Probe<Void> closing = hand.probe(hand.engine().close());
    Probe<Write> submission = hand.probe(hand.engine().submit(write()));
    Probe<Void> next = hand.probe(hand.engine().counter(IMM).next(1));
    Probe<Long> every = hand.probe(hand.engine().counter(IMM).every(1), new Probe<>(0));
    Probe<Message> messages = hand.probe(hand.engine().messages());
    Probe<Void> send = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    Probe<Void> quiesced = hand.probe(source.quiesced());
    hand.turn();
    closing.assertComplete();
    for (Probe<?> probe : List.of(submission, next, every, messages, send, quiesced)) {
      assertThat(probe.terminals()).isEqualTo(1);
    }
  }

  @Test
  void fromWithinASignal() {
    open();
    List<Probe<Void>> closings = new ArrayList<>();
    Probe<Write> probe = Probe.unbounded();
    hand.probe(
        hand.engine().submit(Flux.range(0, 100).map(i -> write())),
        probe.onItem((p, item) -> {
          if (closings.isEmpty()) {
            closings.add(hand.probe(hand.engine().close()));
          }
        }));
    hand.turn();
    hand.settle();
    closings.getFirst().assertComplete();
    assertThat(probe.terminals()).isEqualTo(1);
  }

  @Test
  void whoIsToldOfTheEndMayAskForMore() {
    open();
    AtomicInteger later = new AtomicInteger();
    Probe<Void> next = Probe.unbounded();
    hand.probe(
        hand.engine().counter(IMM).next(1),
        next.onEnd(p ->
            hand.engine()
                .counter(IMM)
                .next(1)
                .doOnError(e -> later.incrementAndGet())
                .onErrorComplete()
                .subscribe()));
    Probe<Write> submission = Probe.unbounded();
    hand.probe(
        hand.engine().submit(Flux.<Write>never()),
        submission.onEnd(p -> {
          source.close().subscribe();
          hand.engine().close().subscribe();
          hand.engine()
              .send(hand.peer(1), ByteBuffer.allocate(1))
              .doOnError(e -> later.incrementAndGet())
              .onErrorComplete()
              .subscribe();
        }));
    hand.turn();
    hand.close().assertComplete();
    assertThat(later).hasValue(2);
  }

  @Test
  void aDisposedSignalSchedulerSwallowsNoEnd() {
    HandScheduler signals = new HandScheduler();
    hand.signals = signals;
    open();
    Probe<Write> silent = hand.probe(hand.engine().submit(Flux.<Write>never()));
    Probe<Void> next = hand.probe(hand.engine().counter(IMM).next(1));
    Probe<Message> messages = hand.probe(hand.engine().messages());
    Probe<Void> send = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    hand.turn();
    signals.rejecting = true;
    hand.close().assertComplete();
    assertClosedError(silent);
    assertClosedError(next);
    assertClosedError(send);
    messages.assertComplete();
  }
}
