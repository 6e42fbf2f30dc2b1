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
  private final Deque<StreamWait.Marks> idle = new ArrayDeque<>();

  PassedWaits(Gpu gpu) {
    this.gpu = gpu;
  }

  /**
   * A word that nobody uses, and an event.
   *
   * @throws CudaException if there is none, and the driver refuses to pin a page, or an event
   */
  synchronized StreamWait.Marks take() {
    for (StreamWait next = ended.poll(); next != null; next = ended.poll()) {
      waits.addLast(next);
    }
    if (!waits.isEmpty()) {
      gpu.within(this::look);
    }
    StreamWait.Marks used = idle.pollLast();
    return used == null ? open() : used;
  }

  private StreamWait.Marks open() {
    WordPages.Word word = gpu.words().take();
    try {
      return new StreamWait.Marks(word, gpu.within(OwnEvent::create));
    } catch (RuntimeException | Error e) {
      gpu.words().give(word);
      throw e;
    }
  }

  /** What no stream has heard of. */
  synchronized void give(StreamWait.Marks unused) {
    idle.addLast(unused);
  }

  /** In the GPU's context: a thread need not have one. */
  private boolean look() {
    for (int looks = Math.min(LOOKS, waits.size()); looks > 0; looks--) {
      StreamWait wait = waits.removeFirst();
      switch (wait.marks.passed().query()) {
        case Cu.CUDA_SUCCESS -> idle.addLast(wait.marks);
        case Cu.CUDA_ERROR_NOT_READY -> waits.addLast(wait);
        // The GPU is broken, and nobody knows what it still does with the word.
        default -> wait.marks.passed().destroy();
      }
    }
    return true;
  }

  /** Never waits. */
  void add(StreamWait wait) {
    ended.add(wait);
  }
}
