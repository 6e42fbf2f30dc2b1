package io.reactivetransfer.cuda;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import jcuda.driver.CUstream;

/**
 * One wait of a stream for a claim. Its word is another's only when the stream has come by, the
 * claim has ended, and what its end has to write there is written: whoever cancels may come at any
 * time, also when the claim has long been met. Safe from any thread.
 */
final class StreamWait {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  /**
   * What a wait needs of the driver, and the next one uses again.
   *
   * @param word that the stream waits for
   * @param passed behind the wait
   */
  record Marks(WordPages.Word word, OwnEvent passed) {}

  final Marks marks;

  /**
   * Whether the stream may come to its word, and nothing tells when it has come by. Of the thread
   * that gives the stream its wait.
   */
  boolean isLost;

  private final WaitingStreams waiting;
  private final WaitingStreams.Place place;
  private final AtomicBoolean isDecided = new AtomicBoolean();

  /** What has to be over: the decision, and the claim's stream of signals. */
  private final AtomicInteger parts = new AtomicInteger(2);

  private StreamWait(Marks marks, WaitingStreams waiting, WaitingStreams.Place place) {
    this.marks = marks;
    this.waiting = waiting;
    this.place = place;
  }

  /**
   * The stream is going to wait for the word.
   *
   * @throws CudaException if too many others wait
   */
  static StreamWait begin(Marks marks, WaitingStreams waiting, CUstream stream) {
    MemorySegment word = marks.word.memory();
    WORD.setRelease(word, 0L, 0L);
    return new StreamWait(
        marks, waiting, waiting.enter(stream, () -> (long) WORD.getAcquire(word, 0L) != 0));
  }

  /** The claim is met; returns whether the word is free for whoever comes next. */
  boolean met() {
    return decide() && isLastPart();
  }

  /** The claim has failed, or was cancelled; the same. After it was met, this changes nothing. */
  boolean failed() {
    if (!decide()) {
      return false;
    }
    // Once more if the NIC's thread has, and for the first time if there was no claim, or is none.
    WORD.setRelease(marks.word.memory(), 0L, CudaStreams.FAILED);
    return isLastPart();
  }

  private boolean decide() {
    boolean isFirst = isDecided.compareAndSet(false, true);
    if (isFirst) {
      waiting.leave(place);
    }
    return isFirst;
  }

  /** There are no signals any more; the same. */
  boolean over() {
    return isLastPart();
  }

  private boolean isLastPart() {
    return parts.decrementAndGet() == 0;
  }
}
