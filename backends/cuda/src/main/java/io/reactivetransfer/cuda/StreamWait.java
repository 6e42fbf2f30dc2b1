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

  final WordPages.Word word;
  final OwnEvent passed;
  private final AtomicBoolean isDecided = new AtomicBoolean();

  /** What has to be over: the decision, and the claim's stream of signals. */
  private final AtomicInteger parts = new AtomicInteger(2);

  StreamWait(WordPages.Word word, OwnEvent passed) {
    this.word = word;
    this.passed = passed;
  }

  /** The stream waits on a word from here on. */
  static void prepare(WordPages.Word word) {
    WORD.setRelease(word.memory(), 0L, 0L);
  }

  /** Lets a stream go on that waits for a word, if any does. */
  static void letGo(WordPages.Word word) {
    WORD.setRelease(word.memory(), 0L, CudaStreams.FAILED);
  }

  /** The claim is met; returns whether the word is free for whoever comes next. */
  boolean met() {
    return isDecided.compareAndSet(false, true) && isLastPart();
  }

  /** The claim has failed, or was cancelled; the same. After it was met, this changes nothing. */
  boolean failed() {
    if (!isDecided.compareAndSet(false, true)) {
      return false;
    }
    letGo(word);
    return isLastPart();
  }

  /** There are no signals any more; the same. */
  boolean over() {
    return isLastPart();
  }

  private boolean isLastPart() {
    return parts.decrementAndGet() == 0;
  }
}
