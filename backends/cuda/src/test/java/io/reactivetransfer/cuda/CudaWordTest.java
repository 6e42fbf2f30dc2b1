package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivetransfer.Change;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.JCudaDriver;
import org.assertj.core.api.Assumptions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

class CudaWordTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @RegisterExtension private final Gpus gpus = new Gpus();

  @Test
  void whatAStreamWritesIsSeenByWhoWatches() {
    gpus.delay(500);
    TransferEngine engine =
        Objects.requireNonNull(
            TransferEngineBuilder.create().backend(new LoopbackBackend()).open().block());
    Gpu gpu = CudaDriver.here().gpu(Gpus.FIRST);
    OwnStream stream = gpu.within(OwnStream::create);
    try (CudaWord word = CudaWord.open(Gpus.FIRST)) {
      assertThat(word.get()).isZero();
      Flux<Change> changes =
          engine
              .watch(word.memory())
              .doOnSubscribe(
                  _ -> List.of(1L, 2L, 9L).forEach(value -> word.writeOn(stream, value)));
      Change last =
          Objects.requireNonNull(
              changes.filter(change -> change.current() == 9).blockFirst(PATIENCE));
      assertThat(last.previous()).isBetween(0L, 2L);
      assertThat(word.get()).isEqualTo(9);
      word.set(5);
      assertThat(word.get()).isEqualTo(5);
    } finally {
      gpu.within(() -> JCudaDriver.cuStreamDestroy(stream));
      engine.close().block(PATIENCE);
    }
  }

  @Test
  void aGraphWritesItWheneverItIsLaunched() {
    Gpu gpu = CudaDriver.here().gpu(Gpus.FIRST);
    try (CudaWord word = CudaWord.open(Gpus.FIRST)) {
      gpu.within(() -> {
        OwnStream stream = OwnStream.create();
        CUgraph graph = new CUgraph();
        CUgraphExec exec = new CUgraphExec();
        Results.require(
            "cuStreamBeginCapture",
            () ->
                JCudaDriver.cuStreamBeginCapture(
                    stream, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED));
        word.writeOn(stream, 7);
        Results.require("cuStreamEndCapture", () -> JCudaDriver.cuStreamEndCapture(stream, graph));
        Results.require("cuGraphInstantiate", () -> JCudaDriver.cuGraphInstantiate(exec, graph, 0));
        assertThat(word.get()).as("while nothing was launched").isZero();
        for (int i = 0; i < 2; i++) {
          word.set(0);
          Results.require("cuGraphLaunch", () -> JCudaDriver.cuGraphLaunch(exec, stream));
          Results.require("cuStreamSynchronize", () -> JCudaDriver.cuStreamSynchronize(stream));
          assertThat(word.get()).isEqualTo(7);
        }
        Results.require("cuGraphExecDestroy", () -> JCudaDriver.cuGraphExecDestroy(exec));
        Results.require("cuGraphDestroy", () -> JCudaDriver.cuGraphDestroy(graph));
        return JCudaDriver.cuStreamDestroy(stream);
      });
    }
  }

  @Test
  void whatIsClosedIsNotAnotherOnesWord() {
    CudaWord closed = CudaWord.open(Gpus.FIRST);
    closed.close();
    Gpu gpu = CudaDriver.here().gpu(Gpus.FIRST);
    OwnStream stream = gpu.within(OwnStream::create);
    try (CudaWord next = CudaWord.open(Gpus.FIRST)) {
      List<ThrowingCallable> all =
          List.of(
              closed::get,
              () -> closed.set(5),
              closed::memory,
              closed::pointer,
              () -> closed.writeOn(stream, 5));
      for (ThrowingCallable each : all) {
        assertThatIllegalStateException()
            .isThrownBy(each)
            .withMessageContaining("expected a word that is open, got one that was closed");
      }
      gpu.within(() -> JCudaDriver.cuStreamSynchronize(stream));
      assertThat(next.get()).isZero();
    } finally {
      gpu.within(() -> JCudaDriver.cuStreamDestroy(stream));
    }
  }

  @Test
  void aStreamOfAnotherGpuIsRefusedBeforeItWrites() {
    Assumptions.assumeThat(Gpus.SECOND).isNotEqualTo(Gpus.FIRST);
    Gpu second = CudaDriver.here().gpu(Gpus.SECOND);
    OwnStream other = second.within(OwnStream::create);
    try (CudaWord word = CudaWord.open(Gpus.FIRST)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> word.writeOn(other, 5))
          .withMessageContaining("expected a stream of the primary context of cuda:0");
      second.within(() -> JCudaDriver.cuStreamSynchronize(other));
      assertThat(word.get()).isZero();
    } finally {
      second.within(() -> JCudaDriver.cuStreamDestroy(other));
    }
  }

  @Test
  void aWordThatWasGivenBackIsZeroForTheNextOne() {
    CudaWord first = CudaWord.open(Gpus.FIRST);
    first.set(77);
    first.close();
    first.close();
    try (CudaWord second = CudaWord.open(Gpus.FIRST);
        CudaWord third = CudaWord.open(Gpus.FIRST)) {
      assertThat(second.get()).isZero();
      assertThat(third.memory().segment().address())
          .isNotEqualTo(second.memory().segment().address());
    }
  }

  @Test
  void wordsNeedFewPages() {
    CudaWord.open(Gpus.SECOND).close();
    gpus.driver().reset();
    for (int i = 0; i < 500; i++) {
      CudaWord.open(Gpus.SECOND).close();
    }
    assertThat(gpus.driver().calls("cuMemHostRegister")).isZero();
  }
}
