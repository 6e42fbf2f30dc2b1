package io.reactivetransfer.engine.origin;

import io.reactivetransfer.EngineRecorder.StreamEnd;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a recorder is told of one stream, and may keep. */
record EndedStream(
    long transfers,
    long bytes,
    long transfersNotDone,
    Duration duration,
    Duration queued,
    boolean isPosted,
    @Nullable Throwable failure,
    boolean isCancelled)
    implements StreamEnd {}
