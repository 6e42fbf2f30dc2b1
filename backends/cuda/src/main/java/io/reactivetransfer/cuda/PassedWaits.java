package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Cu;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Waits of the streams of one GPU that nobody raises any more: their words are free when the
 * streams have come by. Safe from any thread.
 */
final class PassedWaits {

  /** Looked at for each word that is wanted: two, so that there are ever fewer. */
  private static final int LOOKS = 2;

  private final Gpu gpu;

  /** Filled by NICs' threads, which must not wait for who holds the lock and calls the driver. */
  private final Queue<StreamWait> ended = new ConcurrentLinkedQueue<>();

  private final Deque<StreamWait> waits = new ArrayDeque<>();

  PassedWaits(Gpu gpu) {
    this.gpu = gpu;
  }

  /** A word that nobody uses. */
  synchronized WordPages.Word take() {
    for (StreamWait next = ended.poll(); next != null; next = ended.poll()) {
      waits.addLast(next);
    }
    if (!waits.isEmpty()) {
      gpu.within(this::look);
    }
    return gpu.words().take();
  }

  /** In the GPU's context: a thread need not have one. */
  private boolean look() {
    for (int looks = Math.min(LOOKS, waits.size()); looks > 0; looks--) {
      StreamWait wait = waits.removeFirst();
      switch (wait.passed.query()) {
        case Cu.CUDA_SUCCESS -> {
          wait.passed.destroy();
          gpu.words().give(wait.word);
        }
        case Cu.CUDA_ERROR_NOT_READY -> waits.addLast(wait);
        default -> wait.passed.destroy(); // the GPU is broken, and nobody knows what it still does
      }
    }
    return true;
  }

  /** Never waits. */
  void add(StreamWait wait) {
    ended.add(wait);
  }
}
