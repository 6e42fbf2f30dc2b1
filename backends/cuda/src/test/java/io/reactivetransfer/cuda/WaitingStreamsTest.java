package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.Disposable;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** No more streams of a GPU wait at once than leave a queue for copies. */
class WaitingStreamsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(20);

  /** Of 8 queues, which is what the driver makes unless the environment says otherwise. */
  private static final int MOST = 7;

  private static final int DONE = 0;

  private static final BooleanSupplier WAITS = () -> false;

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final List<OwnStream> opened = new ArrayList<>();
  private final HeldSignals signals = new HeldSignals();
  private final TransferEngine target =
      Objects.requireNonNull(
          TransferEngineBuilder.create()
              .backend(new LoopbackBackend())
              .options(EngineOptions.builder().signalScheduler(signals.scheduler()).build())
              .open()
              .block(PATIENCE));

  private final ImmLease lease = target.lease();
  private Gpu gpu;
  private CudaStreams streams;

  @BeforeEach
  void open() {
    gpu = CudaDriver.here().gpu(Gpus.FIRST);
    streams = CudaStreams.of(target, Gpus.FIRST);
  }

  @AfterEach
  void close() {
    signals.letGo();
    target.close().block(PATIENCE);
    opened.forEach(stream -> gpu.within(() -> JCudaDriver.cuStreamDestroy(stream)));
  }

  private OwnStream stream() {
    OwnStream stream = gpu.within(OwnStream::create);
    opened.add(stream);
    return stream;
  }

  private Mono<Void> wait(CUstream stream) {
    return streams.waitFor(stream, lease.counter(), 1);
  }

  private List<Disposable> asManyAsMay() {
    return IntStream.range(0, MOST).mapToObj(_ -> wait(stream()).subscribe()).toList();
  }

  private int state(CUstream stream) {
    return gpu.within(() -> JCudaDriver.cuStreamQuery(stream));
  }

  private static void requireUsual() {
    Assumptions.assumeTrue(
        System.getenv(WaitingStreams.QUEUES) == null, WaitingStreams.QUEUES + " is set");
  }

  @Test
  void oneMoreIsRefusedAndDoesNotWait() {
    requireUsual();
    List<Disposable> waits = asManyAsMay();
    OwnStream one = stream();
    assertThatThrownBy(() -> wait(one).block(PATIENCE))
        .isInstanceOf(CudaException.class)
        .hasMessageContaining("expected at most 7 streams")
        .hasMessageContaining(WaitingStreams.QUEUES);
    assertThat(state(one)).as("the stream that was refused").isEqualTo(DONE);
    waits.getFirst().dispose();
    Disposable last = wait(one).subscribe();
    assertThat(state(one)).isNotEqualTo(DONE);
    assertThatThrownBy(() -> wait(stream()).block(PATIENCE)).isInstanceOf(CudaException.class);
    last.dispose();
    waits.forEach(Disposable::dispose);
  }

  @Test
  void aStreamThatWaitsAlreadyMayWaitOnceMore() {
    requireUsual();
    List<Disposable> waits = asManyAsMay();
    OwnStream first = opened.getFirst();
    Disposable second = wait(first).subscribe();
    waits.getFirst().dispose();
    assertThatThrownBy(() -> wait(stream()).block(PATIENCE))
        .as("a wait beside a stream that waits once still")
        .isInstanceOf(CudaException.class);
    second.dispose();
    Disposable other = wait(stream()).subscribe();
    assertThat(other.isDisposed()).isFalse();
    other.dispose();
    waits.forEach(Disposable::dispose);
  }

  @Test
  void whateverEndsAWaitEndsItForTheOthers() {
    for (int i = 0; i < 2 * MOST; i++) {
      wait(stream()).subscribe().dispose();
      Mono<Void> late = streams.waitFor(stream(), lease.counter().within(SHORT), 1);
      assertThatThrownBy(() -> late.block(PATIENCE)).isInstanceOf(DeadlineExceededException.class);
    }
  }

  @Test
  void aWaitWhoseEndNobodyIsToldOfTakesNoPlace() {
    List<Throwable> refused = Collections.synchronizedList(new ArrayList<>());
    signals.hold();
    for (int i = 0; i < 2 * MOST; i++) {
      OwnStream stream = stream();
      streams.waitFor(stream, lease.counter().within(SHORT), 1).subscribe(_ -> {}, refused::add);
      Awaitility.await().atMost(PATIENCE).until(() -> state(stream) == DONE);
    }
    assertThat(refused).as("while the others' failures are not told").isEmpty();
  }

  @Test
  void aWaitThatTheDriverRefusesTakesNoPlace() {
    for (String call : List.of("cuStreamWaitValue64", "cuEventRecord")) {
      for (int i = 0; i < 2 * MOST; i++) {
        gpus.driver().fault(call, 1, 719);
        assertThatThrownBy(() -> wait(stream()).block(PATIENCE))
            .as(call)
            .hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
      }
    }
  }

  @Test
  void aWaitThatCannotBeAssembledTakesNoPlace() {
    Hooks.onEachOperator(
        "refusing",
        operator -> {
          throw new IllegalStateException("hook");
        });
    try {
      for (int i = 0; i < 2 * MOST; i++) {
        assertThatThrownBy(() -> wait(stream()).block(PATIENCE)).hasMessage("hook");
      }
    } finally {
      Hooks.resetOnEachOperator("refusing");
    }
  }

  /** Which the driver has one of for each thread, all by the same handle. */
  @Test
  void theDefaultStreamsOfThreadsAreAsManyAsTheThreads() throws InterruptedException {
    WaitingStreams waiting = WaitingStreams.of("8");
    List<WaitingStreams.Place> waits = Collections.synchronizedList(new ArrayList<>());
    List<Throwable> refused = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch over = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    try {
      for (int i = 0; i <= MOST; i++) {
        CountDownLatch asked = new CountDownLatch(1);
        threads.add(
            Thread.ofPlatform()
                .daemon()
                .start(() -> {
                  try {
                    waits.add(waiting.enter(JCudaDriver.CU_STREAM_PER_THREAD, WAITS));
                    // It is there already.
                    waits.add(waiting.enter(JCudaDriver.CU_STREAM_PER_THREAD, WAITS));
                  } catch (CudaException e) {
                    refused.add(e);
                  }
                  asked.countDown();
                  awaitQuietly(over); // the next one is another thread, of another number
                }));
        assertThat(asked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      }
      assertThat(refused).singleElement().isInstanceOf(CudaException.class);
      assertThat(waits).hasSize(2 * MOST);
      waits.forEach(waiting::leave);
      assertThat(waiting.enter(JCudaDriver.CU_STREAM_PER_THREAD, WAITS).stream())
          .as("this one")
          .isNotIn(waits.stream().map(WaitingStreams.Place::stream).toList());
    } finally {
      over.countDown();
      for (Thread thread : threads) {
        assertThat(thread.join(PATIENCE)).isTrue();
      }
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest
  @CsvSource({"32, 31", "33, 31", "9, 8", "' 2 ', 1", "1, 0", "0, 0", "-1, 0", "many, 7", ", 7"})
  void theVariableSaysHowMany(String variable, int most) {
    WaitingStreams waiting = WaitingStreams.of(variable);
    List<OwnStream> all = Stream.generate(this::stream).limit(most + 1L).toList();
    List<WaitingStreams.Place> waits = enterAll(waiting, all.subList(0, most));
    assertThatThrownBy(() -> waiting.enter(all.getLast(), WAITS))
        .hasMessageContaining("at most " + most + " streams");
    waits.forEach(waiting::leave);
    waits.forEach(waiting::leave); // of nobody
    assertThat(enterAll(waiting, all.subList(0, most))).hasSize(most);
  }

  private static List<WaitingStreams.Place> enterAll(
      WaitingStreams waiting, List<OwnStream> streams) {
    return streams.stream().map(stream -> waiting.enter(stream, WAITS)).toList();
  }
}
