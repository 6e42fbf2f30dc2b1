package io.reactivetransfer.kvcache;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a recorder is told of an order. */
record EndedOrder(
    Duration duration,
    @Nullable Duration untilFirst,
    int pages,
    long bytes,
    @Nullable Throwable failure,
    boolean isCancelled)
    implements KvRecorder.OrderEnd {}
