package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Cu;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Words for which streams were told to wait, and which nobody raises any more: free when the
 * streams have come by. Safe from any thread.
 */
final class PassedWaits {

  /** Looked at for each word that is wanted: two, so that there are ever fewer. */
  private static final int LOOKS = 2;

  private record Wait(WordPages.Word word, OwnEvent passed) {}

  private final WordPages pages;
  private final Deque<Wait> waits = new ArrayDeque<>();

  PassedWaits(WordPages pages) {
    this.pages = pages;
  }

  /** A word that nobody uses. */
  synchronized WordPages.Word take() {
    for (int looks = LOOKS; looks > 0 && !waits.isEmpty(); looks--) {
      Wait wait = waits.removeFirst();
      switch (wait.passed.query()) {
        case Cu.CUDA_SUCCESS -> {
          wait.passed.destroy();
          pages.give(wait.word);
        }
        case Cu.CUDA_ERROR_NOT_READY -> waits.addLast(wait);
        default -> wait.passed.destroy(); // the GPU is broken, and nobody knows what it still does
      }
    }
    return pages.take();
  }

  synchronized void add(WordPages.Word word, OwnEvent passed) {
    waits.addLast(new Wait(word, passed));
  }
}
