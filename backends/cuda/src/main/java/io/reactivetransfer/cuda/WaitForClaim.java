package io.reactivetransfer.cuda;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.cuda.ffi.Cu;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Has a stream wait for a claim, once for each subscription. No operators, since hooks of the
 * application may run in these and throw, when they are put together as when they are subscribed
 * to: from where the stream waits on, whatever is thrown is seen here, and lets the stream go on.
 */
final class WaitForClaim extends Mono<Void> {

  private final TransferEngine engine;
  private final Gpu gpu;
  private final CUstream stream;
  private final ImmCounter counter;
  private final long writes;

  WaitForClaim(TransferEngine engine, Gpu gpu, CUstream stream, ImmCounter counter, long writes) {
    this.engine = engine;
    this.gpu = gpu;
    this.stream = stream;
    this.counter = counter;
    this.writes = writes;
  }

  @Override
  public void subscribe(CoreSubscriber<? super Void> actual) {
    Objects.requireNonNull(actual, "subscriber"); // before the stream waits
    StreamWait.Marks marks;
    StreamWait wait;
    Mono<Void> claim;
    try {
      gpu.within(() -> requireUsable(gpu, stream));
      marks = gpu.waits().take();
    } catch (RuntimeException | Error e) {
      Operators.error(actual, e);
      return;
    }
    try {
      HostMemory word = new HostMemory(marks.word().memory());
      claim = counter.raising(word, CudaStreams.FAILED).next(writes); // made below
      wait = StreamWait.begin(marks, gpu.waiting(), stream);
    } catch (RuntimeException | Error e) {
      gpu.waits().give(marks);
      Operators.error(actual, e);
      return;
    }
    try {
      gpu.within(() -> enqueue(stream, wait));
    } catch (RuntimeException | Error e) {
      wait.failed();
      if (!wait.isLost) {
        gpu.waits().add(wait); // a GPU that is broken says so when the event is asked for
      }
      Operators.error(actual, e);
      return;
    }
    Signals signals = new Signals(actual, wait);
    try {
      claim.subscribe(signals);
    } catch (RuntimeException | Error e) {
      signals.cancel();
      throw e;
    }
  }

  /**
   * In the GPU's context. Before anything else: the graph would wait for this word again when it is
   * another wait's, and its event could not be asked for.
   */
  private static boolean requireUsable(Gpu gpu, CUstream stream) {
    gpu.requireOwn(stream);
    int[] status = new int[1];
    Results.require("cuStreamIsCapturing", () -> JCudaDriver.cuStreamIsCapturing(stream, status));
    if (status[0] != Cu.CU_STREAM_CAPTURE_STATUS_NONE) {
      throw new CudaException(
          0,
          "expected a stream that is not being captured, since a wait is for once and a graph runs"
              + " many times, got one that is; wait before the graph is launched, or capture"
              + " cuStreamWaitValue64 for a CudaWord, which you raise for each launch");
    }
    return true;
  }

  /** In the GPU's context. */
  private static boolean enqueue(CUstream stream, StreamWait wait) {
    StreamWait.Marks marks = wait.marks;
    wait.isLost = true; // whatever is thrown in between
    try {
      int result =
          Results.of(() ->
              JCudaDriver.cuStreamWaitValue64(
                  stream, marks.word().pointer(), 1, Cu.CU_STREAM_WAIT_VALUE_GEQ));
      wait.isLost = result == Cu.CUDA_SUCCESS;
      Results.require("cuStreamWaitValue64", result);
      marks.passed().record(stream);
      wait.isLost = false;
      return true;
    } catch (RuntimeException | Error e) {
      if (wait.isLost) {
        marks.passed().destroy();
      }
      throw e;
    }
  }

  /** What the claim signals, and what its subscriber asks for. */
  private final class Signals implements CoreSubscriber<Void>, Subscription {

    private final CoreSubscriber<? super Void> actual;
    private final StreamWait wait;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private @Nullable Subscription claim;

    Signals(CoreSubscriber<? super Void> actual, StreamWait wait) {
      this.actual = actual;
      this.wait = wait;
    }

    @Override
    public Context currentContext() {
      return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      if (Operators.validate(claim, subscription)) {
        claim = subscription;
        actual.onSubscribe(this);
      }
    }

    @Override
    public void request(long n) {
      if (claim != null) {
        claim.request(n);
      }
    }

    @Override
    public void onNext(Void never) {}

    @Override
    public void onComplete() {
      giveBackIf(wait.met());
      try {
        actual.onComplete();
      } finally {
        over();
      }
    }

    @Override
    public void onError(Throwable failure) {
      giveBackIf(wait.failed());
      try {
        actual.onError(failure);
      } finally {
        over();
      }
    }

    @Override
    public void cancel() {
      giveBackIf(wait.failed());
      try {
        if (claim != null) {
          claim.cancel();
        }
      } finally {
        over();
      }
    }

    private void over() {
      if (isOver.compareAndSet(false, true)) {
        giveBackIf(wait.over());
      }
    }

    private void giveBackIf(boolean isFree) {
      if (isFree) {
        afterwards(() -> gpu.waits().add(wait));
      }
    }
  }

  /** A claim that was cancelled may raise its word until then. */
  private void afterwards(Runnable task) {
    try {
      engine.executor().execute(task);
    } catch (RejectedExecutionException closed) {
      task.run();
    }
  }
}
