package io.reactivetransfer.cuda;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

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
  private final WaitingStreams waiting;
  private final long stream;
  private final AtomicBoolean isDecided = new AtomicBoolean();

  /** What has to be over: the decision, and the claim's stream of signals. */
  private final AtomicInteger parts = new AtomicInteger(2);

  /**
   * The stream waits on the word from here on.
   *
   * @param stream its address, which is told to the others when it is decided that it goes on
   */
  StreamWait(Marks marks, WaitingStreams waiting, long stream) {
    this.marks = marks;
    this.waiting = waiting;
    this.stream = stream;
    WORD.setRelease(marks.word.memory(), 0L, 0L);
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
    WORD.setRelease(marks.word.memory(), 0L, CudaStreams.FAILED);
    return isLastPart();
  }

  private boolean decide() {
    boolean isFirst = isDecided.compareAndSet(false, true);
    if (isFirst) {
      waiting.leave(stream);
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
