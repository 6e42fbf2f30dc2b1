package io.reactivetransfer.kvcache;

import java.time.Duration;

/** What a recorder is told of a request that waits no more. */
record EndedWait(Duration waited, boolean isTaken) implements KvRecorder.QueueEnd {}
