package io.reactivetransfer.weights.run;

import io.reactivetransfer.TraceContext;
import reactor.util.context.ContextView;

/** What a recorder is told of a run that begins. */
record BegunRun(TrainerRank rank, long number, ContextView context)
    implements RunRecorder.RunBegin {

  @Override
  public TraceContext traceContext() {
    return context.hasKey(TraceContext.class) ? context.get(TraceContext.class) : TraceContext.NONE;
  }
}
