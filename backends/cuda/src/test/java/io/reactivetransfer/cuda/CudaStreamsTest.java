package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.cuda.fake.Live;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.assertj.core.api.Assumptions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

class CudaStreamsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int NOT_READY = 600;
  private static final int DONE = 0;
  private static final int NOT_SUPPORTED = 801;

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final HeldSignals signals = new HeldSignals();
  private final TransferEngine origin = engine(EngineOptions.defaults());
  private final TransferEngine target =
      engine(EngineOptions.builder().signalScheduler(signals.scheduler()).build());
  private Gpu gpu;
  private OwnStream stream;
  private CudaStreams streams;

  private static TransferEngine engine(EngineOptions options) {
    return Objects.requireNonNull(
        TransferEngineBuilder.create()
            .backend(new LoopbackBackend())
            .options(options)
            .open()
            .block(PATIENCE));
  }

  @BeforeEach
  void open() {
    gpu = CudaDriver.here().gpu(Gpus.FIRST);
    stream = gpu.within(OwnStream::create);
    streams = CudaStreams.of(target, Gpus.FIRST);
  }

  @AfterEach
  void close() {
    signals.letGo();
    Mono.when(origin.close(), target.close()).block(PATIENCE);
    gpu.within(() -> JCudaDriver.cuStreamDestroy(stream));
  }

  private int state() {
    return gpu.within(() -> JCudaDriver.cuStreamQuery(stream));
  }

  private void untilTheStreamHasGoneOn() {
    Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .atMost(PATIENCE)
        .until(() -> state() == DONE);
  }

  /** Its thread gives back what a wait had, a moment after the stream has gone on. */
  private void untilTheEngineHasGoneOn() {
    CompletableFuture.runAsync(() -> {}, target.executor()).join();
  }

  @Test
  void aStreamGoesOnWhenAllHasArrived() {
    try (Arena arena = Arena.ofShared();
        CudaWord after = CudaWord.open(Gpus.FIRST)) {
      ImmLease lease = target.lease();
      MemoryRegion from = Objects.requireNonNull(origin.register(arena.allocate(64)).block());
      MemoryRegion to = Objects.requireNonNull(target.register(arena.allocate(64)).block());
      WriteImm write =
          WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm());
      Mono<Void> arrived = streams.waitFor(stream, lease.counter(), 2).cache();
      Disposable claim = arrived.subscribe();
      after.writeOn(stream, 1);
      origin.submit(write).block(PATIENCE);
      assertThat(state()).as("the stream after one write of two").isEqualTo(NOT_READY);
      assertThat(after.get()).isZero();
      origin.submit(write).block(PATIENCE);
      arrived.block(PATIENCE);
      untilTheStreamHasGoneOn();
      assertThat(after.get()).isOne();
      claim.dispose();
      Mono.when(from.close(), to.close()).block(PATIENCE);
    }
  }

  /** Before the stream goes on, so that whoever sees the one sees the other. */
  @Test
  void wordsThatTheCounterRaisesAreRaisedAsWithoutAStream() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment words = arena.allocate(16, 8);
      ImmLease lease = target.lease();
      ImmCounter raising =
          lease
              .counter()
              .raising(new HostMemory(words.asSlice(0, 8)), -7)
              .raising(words.asSlice(8, 8));
      MemoryRegion from = Objects.requireNonNull(origin.register(arena.allocate(64)).block());
      MemoryRegion to = Objects.requireNonNull(target.register(arena.allocate(64)).block());
      Mono<Void> arrived = streams.waitFor(stream, raising, 1);
      origin
          .submit(WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm()))
          .block(PATIENCE);
      arrived.block(PATIENCE);
      assertThat(words.toArray(ValueLayout.JAVA_LONG)).containsExactly(1, 1);
      Mono<Void> late = streams.waitFor(stream, raising.within(Duration.ofMillis(20)), 1);
      assertThatThrownBy(() -> late.block(PATIENCE)).isInstanceOf(DeadlineExceededException.class);
      assertThat(words.toArray(ValueLayout.JAVA_LONG)).containsExactly(-7, 1);
      untilTheStreamHasGoneOn();
      untilTheEngineHasGoneOn();
      Mono.when(from.close(), to.close()).block(PATIENCE);
    }
  }

  @Test
  void aCounterOfAnotherEngineIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> streams.waitFor(stream, origin.lease().counter(), 1))
        .withMessageContainingAll(
            "expected a counter of engine " + target.id().toShortString(),
            "got one of engine " + origin.id().toShortString());
  }

  @Test
  void aStreamOfAnotherGpuIsRefusedBeforeItWaits() {
    Assumptions.assumeThat(Gpus.SECOND).isNotEqualTo(Gpus.FIRST);
    Gpu second = CudaDriver.here().gpu(Gpus.SECOND);
    OwnStream other = second.within(OwnStream::create);
    try {
      Mono<Void> claim = streams.waitFor(other, target.lease().counter(), 1);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> claim.block(PATIENCE))
          .withMessageContainingAll(
              "expected a stream of the primary context of cuda:0", "cudaSetDevice");
      assertThat(second.within(() -> JCudaDriver.cuStreamQuery(other))).isEqualTo(DONE);
      assertThat(target.stats().pendingClaims()).isZero();
    } finally {
      second.within(() -> JCudaDriver.cuStreamDestroy(other));
    }
  }

  @Test
  void theDefaultStreamsAreThoseOfTheGpu() {
    for (CUstream each : new CUstream[] {new CUstream(), JCudaDriver.CU_STREAM_PER_THREAD}) {
      Mono<Void> late =
          streams.waitFor(each, target.lease().counter().within(Duration.ofMillis(20)), 1);
      assertThatThrownBy(() -> late.block(PATIENCE)).isInstanceOf(DeadlineExceededException.class);
    }
    untilTheStreamHasGoneOn();
  }

  @Test
  void aSubscriberThatIsNoneIsRefusedBeforeTheStreamWaits() {
    Mono<Void> claim = streams.waitFor(stream, target.lease().counter(), 1);
    assertThatNullPointerException()
        .isThrownBy(() -> claim.subscribe((CoreSubscriber<Void>) null))
        .withMessage("subscriber");
    assertThat(state()).isEqualTo(DONE);
  }

  @Test
  void aStreamIsNotLeftWaitingForAClaimThatFails() {
    Mono<Void> late =
        streams.waitFor(stream, target.lease().counter().within(Duration.ofMillis(50)), 1);
    assertThatThrownBy(() -> late.block(PATIENCE)).isInstanceOf(DeadlineExceededException.class);
    untilTheStreamHasGoneOn();
  }

  /** Such as while a thread of the signals waits for that very stream. */
  @Test
  void norWhereNobodyIsToldOfTheFailure() {
    signals.hold();
    CompletableFuture<Void> told =
        streams
            .waitFor(stream, target.lease().counter().within(Duration.ofMillis(20)), 1)
            .toFuture();
    untilTheStreamHasGoneOn();
    assertThat(told).as("what is told of the failure").isNotDone();
    assertThat(signals.count()).isPositive();
    signals.letGo();
    assertThatThrownBy(told::join).hasCauseInstanceOf(DeadlineExceededException.class);
  }

  @Test
  void norForOneThatIsCancelled() {
    Disposable claim = streams.waitFor(stream, target.lease().counter(), 1).subscribe();
    assertThat(state()).isEqualTo(NOT_READY);
    claim.dispose();
    untilTheStreamHasGoneOn();
  }

  @Test
  void norWhenTheEngineCloses() {
    Mono<Void> claim = streams.waitFor(stream, target.lease().counter(), 1).cache();
    Disposable subscription = claim.subscribe(_ -> {}, _ -> {});
    target.close().block(PATIENCE);
    assertThatThrownBy(() -> claim.block(PATIENCE)).isNotNull();
    untilTheStreamHasGoneOn();
    subscription.dispose();
  }

  /** The first wait takes a page of words, so it is not among those whose calls fail. */
  @Test
  void whicheverCallFailsTheStreamIsNotLeftWaiting() {
    aStreamIsNotLeftWaitingForAClaimThatFails();
    gpus.driver().reset();
    aStreamIsNotLeftWaitingForAClaimThatFails();
    int calls = gpus.driver().calls().indexOf("cuEventRecord") + 3; // it leaves by two more
    assertThat(calls).as("calls of a wait").isGreaterThan(8);
    int failures = 0;
    for (int n = 1; n <= calls; n++) {
      gpus.driver().reset();
      gpus.driver().failCall(n, 719);
      Mono<Void> claim =
          streams.waitFor(stream, target.lease().counter().within(Duration.ofMillis(20)), 1);
      try {
        claim.block(PATIENCE);
      } catch (CudaException e) {
        failures++;
        assertThat(e).hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
      } catch (DeadlineExceededException e) {
        assertThat(e).hasNoCause();
      }
      gpus.driver().reset();
      untilTheStreamHasGoneOn();
    }
    assertThat(failures).as("calls without which no stream is told to wait").isGreaterThan(2);
  }

  /** What an application has hung into Reactor runs where the wait is put together, too. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whicheverOperatorCannotBeAssembledTheStreamIsNotLeftWaiting(boolean isError) {
    endsWhicheverFails(failing ->
        operator -> {
          failing.call(isError);
          return operator;
        });
  }

  /** And where it is subscribed to, by when the stream has been told to wait. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whicheverOperatorCannotBeSubscribedToTheStreamIsNotLeftWaiting(boolean isError) {
    endsWhicheverFails(failing ->
        Operators.liftPublisher((operator, subscriber) -> {
          failing.call(isError);
          return subscriber;
        }));
  }

  /** Fails in the n-th call of a wait that is made by this thread, for every n. */
  private void endsWhicheverFails(
      Function<FailingCall, Function<? super Publisher<Object>, ? extends Publisher<Object>>>
          hook) {
    int failures = 0;
    boolean isWhole = false;
    for (int n = 1; !isWhole; n++) {
      FailingCall failing = new FailingCall(n);
      Hooks.onEachOperator("refusing", hook.apply(failing));
      try {
        streams
            .waitFor(stream, target.lease().counter().within(Duration.ofMillis(20)), 1)
            .block(PATIENCE);
      } catch (DeadlineExceededException e) {
        isWhole = true;
      } catch (RuntimeException | AssertionError e) {
        assertThat(Exceptions.unwrap(e)).hasMessage("hook");
        failures++;
      } finally {
        Hooks.resetOnEachOperator("refusing");
      }
      untilTheStreamHasGoneOn();
    }
    assertThat(failures).as("operators of a wait").isPositive();
    assertThat(gpus.driver().live(Live.EVENT)).as("events, which are used again").isLessThan(4);
  }

  private static final class FailingCall {
    private final Thread caller = Thread.currentThread();
    private int left;

    FailingCall(int number) {
      left = number;
    }

    void call(boolean isError) {
      if (Thread.currentThread() == caller && --left == 0) {
        if (isError) {
          throw new AssertionError("hook");
        }
        throw new IllegalStateException("hook");
      }
    }
  }

  /** As {@code Mono.when} does with those that are complete, when another one fails. */
  @Test
  void aCancelThatComesLateLetsNoOtherStreamGoOn() {
    BaseSubscriber<Void> first = new BaseSubscriber<>() {};
    ImmLease lease = target.lease();
    try (Arena arena = Arena.ofShared()) {
      MemoryRegion from = Objects.requireNonNull(origin.register(arena.allocate(64)).block());
      MemoryRegion to = Objects.requireNonNull(target.register(arena.allocate(64)).block());
      CompletableFuture<Void> met = new CompletableFuture<>();
      AtomicReference<Subscription> late = new AtomicReference<>();
      streams
          .waitFor(stream, lease.counter(), 1)
          .doOnSubscribe(late::set)
          .doFinally(_ -> met.complete(null))
          .subscribe(first);
      origin
          .submit(WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm()))
          .block(PATIENCE);
      met.join();
      untilTheStreamHasGoneOn();
      // The word is given back on the NIC's thread, and taken again by one of the next waits.
      for (int i = 0; i < 100; i++) {
        Disposable other = streams.waitFor(stream, target.lease().counter(), 1).subscribe();
        Objects.requireNonNull(late.get()).cancel();
        assertThat(state()).as("a stream that waits for another claim").isEqualTo(NOT_READY);
        other.dispose();
        untilTheStreamHasGoneOn();
      }
      Mono.when(from.close(), to.close()).block(PATIENCE);
    }
  }

  /** A thread without a context of its own; the documents have one object for each wait. */
  @Test
  void wordsAndEventsAreUsedAgainByOtherObjectsOnOtherThreads() throws InterruptedException {
    Thread other =
        new Thread(() -> {
          for (int i = 0; i < 100; i++) {
            CudaStreams.of(target, Gpus.FIRST)
                .waitFor(stream, target.lease().counter(), 1)
                .subscribe()
                .dispose();
            untilTheStreamHasGoneOn();
            untilTheEngineHasGoneOn();
          }
        });
    other.start();
    other.join();
    assertThat(gpus.driver().calls("cuEventCreate")).isLessThan(40);
    assertThat(gpus.driver().calls("cuMemHostRegister")).isLessThanOrEqualTo(1);
    assertThat(gpus.driver().live(Live.EVENT)).isLessThan(40);
  }

  @Test
  void aClaimThatCannotBeMadeLetsNoStreamWait() {
    long before = gpus.driver().calls("cuStreamWaitValue64");
    assertThatThrownBy(() -> streams.waitFor(stream, target.lease().counter(), -1).block(PATIENCE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(gpus.driver().calls("cuStreamWaitValue64")).isEqualTo(before);
  }

  /** Such as a stream of another context, by an application that tries again and again. */
  @ParameterizedTest
  @CsvSource({"cuStreamWaitValue64, 1", "cuCtxPushCurrent, 3"})
  void whatARefusedWaitHadIsUsedAgain(String call, int last) {
    aStreamIsNotLeftWaitingForAClaimThatFails();
    untilTheEngineHasGoneOn();
    for (int i = 0; i < 200; i++) {
      gpus.driver().reset();
      gpus.driver().fault(call, last, NOT_SUPPORTED);
      Mono<Void> refused = streams.waitFor(stream, target.lease().counter(), 1);
      assertThatThrownBy(() -> refused.block(PATIENCE))
          .hasMessageContaining(call)
          .hasMessageContaining("CUDA_ERROR_NOT_SUPPORTED");
      assertThat(gpus.driver().calls(call)).as("the last one of a wait").isEqualTo(last);
      assertThat(gpus.driver().calls("cuMemHostRegister")).as("pages of words").isZero();
      assertThat(gpus.driver().calls("cuEventCreate")).isZero();
      assertThat(state()).as("the stream that was refused").isEqualTo(DONE);
    }
    gpus.driver().reset();
    aStreamIsNotLeftWaitingForAClaimThatFails();
  }

  /** By an error for which Reactor does not tell the subscriber, but throws it. */
  @Test
  void whatAWaitHadThatCannotBeSubscribedToIsUsedAgain() {
    for (int i = 0; i < 60; i++) {
      Hooks.onEachOperator(
          "refusing",
          Operators.liftPublisher((_, _) -> {
            throw new LinkageError("hook");
          }));
      Mono<Void> wait = streams.waitFor(stream, target.lease().counter(), 1);
      try {
        assertThatThrownBy(() -> wait.subscribe(new BaseSubscriber<>() {})).hasMessage("hook");
      } finally {
        Hooks.resetOnEachOperator("refusing");
      }
      untilTheStreamHasGoneOn();
      untilTheEngineHasGoneOn();
    }
    assertThat(gpus.driver().calls("cuMemHostRegister"))
        .as("pages of words")
        .isLessThanOrEqualTo(1);
    assertThat(gpus.driver().calls("cuEventCreate")).isLessThan(40);
  }

  @Test
  void wordsAndEventsAreUsedAgain() {
    for (int i = 0; i < 100; i++) {
      Disposable claim = streams.waitFor(stream, target.lease().counter(), 1).subscribe();
      claim.dispose();
      untilTheStreamHasGoneOn();
      untilTheEngineHasGoneOn();
    }
    assertThat(gpus.driver().calls("cuMemHostRegister")).isLessThanOrEqualTo(1);
    assertThat(gpus.driver().live(Live.EVENT)).isLessThan(40);
  }
}
