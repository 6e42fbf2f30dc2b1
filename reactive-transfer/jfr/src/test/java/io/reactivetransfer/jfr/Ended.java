package io.reactivetransfer.jfr;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder.StreamEnd;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A stream that has ended. */
record Ended(
    long transfers,
    long bytes,
    long transfersNotDone,
    Duration duration,
    Duration queued,
    boolean isPosted,
    @Nullable Throwable failure,
    boolean isCancelled)
    implements StreamEnd {

  static final EngineId ENGINE = new EngineId(1, 2);
  static final Ended STREAM =
      new Ended(1, 64, 0, Duration.ofMillis(1), Duration.ZERO, true, null, false);
}
