package io.reactivetransfer.kvcache;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a recorder is told of a request. */
record EndedRequest(
    Duration duration, long bytes, @Nullable Duration exposed, @Nullable HandOverException failure)
    implements KvRecorder.RequestEnd {}
