package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Whatever is thrown, and wherever: nobody is left waiting. */
class ThrowableTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final List<Probe<?>> pending = new ArrayList<>();
  private MemoryRegion source;

  enum Thrown {
    EXCEPTION(new IllegalStateException("thrown")),
    LINKAGE(new LinkageError("thrown")),
    STACK(new StackOverflowError("thrown")),
    MEMORY(new OutOfMemoryError("thrown"));

    final Throwable failure;

    Thrown(Throwable failure) {
      this.failure = failure;
    }

    @SuppressWarnings("unchecked") // whatever it is, undeclared
    <T, E extends Throwable> T raise() throws E {
      throw (E) failure;
    }
  }

  /** Opens an engine on which something of every kind is pending. */
  private void open() {
    hand.open(2, options -> options.window(8));
    source = hand.region();
    pend(hand.engine().submit(write()));
    hand.turn();
    hand.nics().forEach(nic -> nic.room = 0);
    pend(hand.engine().submit(Flux.just(write(), write())));
    pend(hand.engine().submit(Flux.<Write>never()));
    pend(hand.engine().counter(Imm.of(1)).next(1));
    pend(hand.engine().counter(Imm.of(1)).every(1));
    pend(hand.engine().messages());
    pend(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    pend(hand.engine().watch(Arena.ofAuto().allocate(8, 8)));
    pend(hand.peer(1).state());
    pend(source.quiesced());
    hand.turn();
    pending.forEach(Probe::assertOpen);
  }

  private void pend(Publisher<?> publisher) {
    pending.add(hand.probe(publisher));
  }

  private Write write() {
    return Write.of(source.slice(0, 10), hand.remote(1).slice(0, 10));
  }

  private void assertAllEnded() {
    assertThat(pending).allSatisfy(probe -> assertThat(probe.terminals()).isEqualTo(1));
    assertThat(hand.engine().isClosed()).isTrue();
    assertThat(hand.nics()).allMatch(ScriptedNic::isClosed);
    assertThat(hand.loop.isClosed()).isTrue();
    Probe<Void> again = hand.probe(hand.engine().close());
    if (hand.nics().stream().allMatch(nic -> nic.closeFailure == null)) {
      again.assertComplete();
    } else {
      assertThat(again.error())
          .isInstanceOf(TransferFailedException.class)
          .hasMessageContaining("could not be closed");
    }
  }

  private void assertAllGoOn() {
    pending.forEach(Probe::assertOpen);
    hand.nics().forEach(nic -> nic.room = 100);
    hand.settle();
    pending.get(0).assertComplete();
    pending.get(1).assertComplete();
    hand.probe(hand.engine().close());
    hand.turn();
    assertAllEnded();
  }

  // ---- tasks ----

  @ParameterizedTest
  @EnumSource
  void ofATaskEndsNothing(Thrown thrown) {
    open();
    AtomicInteger later = new AtomicInteger();
    hand.engine().scheduler().schedule(thrown::raise);
    hand.engine().scheduler().schedule(later::incrementAndGet);
    hand.engine().scheduler().schedule(thrown::raise, 1, TimeUnit.MILLISECONDS);
    hand.engine().scheduler().schedule(later::incrementAndGet, 1, TimeUnit.MILLISECONDS);
    hand.turn();
    hand.advance(Duration.ofMillis(2));
    assertThat(later).hasValue(2);
    assertAllGoOn();
  }

  // ---- signals on the NIC's thread ----

  /** What a subscriber throws when it gets something, which is its own error. */
  @ParameterizedTest
  @EnumSource
  void ofASubscriberEndsItself(Thrown thrown) {
    open();
    hand.nics().forEach(nic -> nic.room = 100);
    List<Probe<?>> throwing =
        Stream.of(
                hand.engine().submit(Flux.just(write(), write(), write())),
                hand.engine().submit(write()),
                hand.engine().submitEach(Flux.just(write(), write())),
                hand.engine().register(new HostMemory(Arena.ofAuto().allocate(8)), Access.LOCAL),
                hand.engine().counter(Imm.of(5)).every(1))
            .<Probe<?>>map(publisher -> hand.probe(Flux.from(publisher).map(x -> thrown.raise())))
            .toList();
    hand.turn();
    hand.nic(0).arrive(WireImm.encode(5, 1));
    hand.settle();
    assertThat(throwing).allSatisfy(probe -> assertThat(probe.error()).isSameAs(thrown.failure));
    assertThat(hand.stats().transfersInFlight()).isZero();
    assertThat(hand.engine().isClosed()).isFalse();
    pending.get(0).assertComplete();
    pending.get(1).assertComplete();
    pending.get(3).assertOpen();
    hand.close().assertComplete();
    assertAllEnded();
  }

  /** At its own end it has had its signal. */
  @ParameterizedTest
  @EnumSource
  void ofASubscriberAtItsEndEndsNothing(Thrown thrown) {
    open();
    hand.nics().forEach(nic -> nic.room = 100);
    Consumer<Probe<?>> raising = probe -> thrown.raise();
    hand.probe(hand.engine().submit(write()), Probe.<Write>unbounded().onEnd(raising::accept));
    hand.probe(
        hand.engine().submit(Flux.<Write>error(new IllegalStateException("its own"))),
        Probe.<Write>unbounded().onEnd(raising::accept));
    hand.probe(
        hand.engine().counter(Imm.of(5)).next(1), Probe.<Void>unbounded().onEnd(raising::accept));
    hand.probe(
        hand.engine().counter(Imm.of(5)).discard(), Probe.<Long>unbounded().onEnd(raising::accept));
    hand.turn();
    hand.nic(0).arrive(WireImm.encode(5, 1));
    hand.settle();
    assertThat(hand.engine().isClosed()).isFalse();
    assertThat(hand.stats().transfersInFlight()).isZero();
    hand.close().assertComplete();
    assertAllEnded();
  }

  // ---- NICs ----

  private enum Call {
    POLL((nic, failure) -> nic.pollFailure = failure),
    POST((nic, failure) -> nic.postFailure = failure),
    REVOKE((nic, failure) -> nic.revokeFailure = failure),
    DEREGISTER((nic, failure) -> nic.deregisterFailure = failure),
    CLOSE((nic, failure) -> nic.closeFailure = failure);

    private final BiConsumer<ScriptedNic, Throwable> breaking;

    Call(BiConsumer<ScriptedNic, Throwable> breaking) {
      this.breaking = breaking;
    }
  }

  static Stream<Arguments> callsAndThrowables() {
    return Stream.of(Call.values())
        .flatMap(call -> Stream.of(Thrown.values()).map(thrown -> Arguments.of(call, thrown)));
  }

  @ParameterizedTest
  @MethodSource("callsAndThrowables")
  void ofANicEndsAll(Call call, Thrown thrown) {
    open();
    hand.nics().forEach(nic -> nic.room = 100);
    call.breaking.accept(hand.nic(0), thrown.failure);
    pend(hand.engine().submit(Flux.just(write(), write(), write())));
    hand.turn();
    pend(hand.engine().close());
    hand.turn();
    hand.completeAllUnlessClosed();
    hand.advance(hand.engine().options().closeTimeout());
    assertAllEnded();
  }

  /** Each of them at once: a breakdown that breaks down, and breaks down again. */
  @ParameterizedTest
  @EnumSource
  void ofEveryCallEndsAll(Thrown thrown) {
    open();
    hand.nics()
        .forEach(nic -> {
          nic.room = 100;
          nic.postFailure = thrown.failure;
          nic.revokeFailure = thrown.failure;
          nic.deregisterFailure = thrown.failure;
          nic.resolveFailure = thrown.failure;
          nic.closeFailure = thrown.failure;
          nic.pollFailure = thrown.failure;
        });
    hand.turn();
    assertAllEnded();
  }

  /** What resolving throws meets a transfer of which nothing was begun. */
  @ParameterizedTest
  @EnumSource
  void ofResolvingEndsItsTransfer(Thrown thrown) {
    open();
    hand.nics().forEach(nic -> nic.resolveFailure = thrown.failure);
    Probe<WriteImm> probe =
        hand.probe(
            hand.engine()
                .submit(WriteImm.of(source.slice(0, 1), hand.remote(7).slice(0, 1), Imm.of(1))));
    hand.turn();
    assertThat(probe.terminals()).isEqualTo(1);
    pend(hand.engine().close());
    hand.turn();
    hand.completeAllUnlessClosed();
    hand.advance(hand.engine().options().closeTimeout());
    assertAllEnded();
  }

  // ---- the signal scheduler itself, and threads ----

  /** The NIC's own thread, which dies of it at the worst. */
  @ParameterizedTest
  @EnumSource
  void ofTheThreadItselfEndsAll(Thrown thrown) throws Exception {
    ScriptedBackend backend = new ScriptedBackend(null);
    TransferEngine engine =
        TransferEngineBuilder.create().backend(backend).open().block(Duration.ofSeconds(20));
    MemorySegment memory = Arena.ofAuto().allocate(8);
    MemoryRegion region = engine.register(memory).block(Duration.ofSeconds(20));
    Probe<Void> claim = Probe.unbounded();
    engine.counter(Imm.of(1)).next(1).subscribe(claim);
    Probe<Write> stream = Probe.unbounded();
    engine
        .submit(
            Write.of(
                region.whole(),
                engine.remote(EngineByHand.descriptor(EngineByHand.addressOf(1), 1, 8)).whole()))
        .subscribe(stream);
    backend.opened().getFirst().prepareFailure = thrown.failure;
    backend.opened().getFirst().descriptors = new int[] {1};
    ScriptedNic nic = backend.opened().getFirst();
    engine.scheduler().schedule(() -> nic.pollFailure = thrown.failure);
    assertThat(claim.awaitEnd(20)).isTrue();
    assertThat(stream.awaitEnd(20)).isTrue();
    Mono<Void> closing = engine.close();
    closing.block(Duration.ofSeconds(20));
  }
}
