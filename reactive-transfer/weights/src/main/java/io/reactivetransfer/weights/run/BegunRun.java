package io.reactivetransfer.weights.run;

import io.reactivetransfer.TraceContext;
import reactor.util.context.ContextView;

/** What a recorder is told of a run that begins. */
record BegunRun(TrainerRank rank, long number, ContextView context)
    implements RunRecorder.RunBegin {

  @Override
  public TraceContext traceContext() {
    Object carried = context.getOrDefault(TraceContext.class, TraceContext.NONE);
    return carried instanceof TraceContext known ? known : TraceContext.NONE;
  }
}
