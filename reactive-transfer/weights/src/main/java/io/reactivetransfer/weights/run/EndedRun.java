package io.reactivetransfer.weights.run;

import org.jspecify.annotations.Nullable;

/** What a recorder is told of a run. */
record EndedRun(RunProgress progress, @Nullable Throwable failure, boolean isCancelled)
    implements RunRecorder.RunEnd {}
