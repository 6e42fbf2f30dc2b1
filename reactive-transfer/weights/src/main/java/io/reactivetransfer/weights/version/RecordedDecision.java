package io.reactivetransfer.weights.version;

import io.reactivetransfer.TraceContext;
import io.reactivetransfer.weights.internal.Recording;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** What a recorder is told of one update or recovery; made only if there is one. In turns. */
final class RecordedDecision {

  /** What ranks and trainers are sent along. */
  final TraceContext traceContext;

  /** What trainers that are the application's see. */
  final Context context;

  private final long begunNanos = System.nanoTime();
  private final Recording<VersionRecorder.ControllerRecorder> told;

  /** It begins. */
  RecordedDecision(Recording<VersionRecorder> recording, Begin begin) {
    Context subscriber = Context.of(begin.context());
    told =
        recording.begin(
            recorder -> recorder.updateBegun(begin), VersionRecorder.ControllerRecorder.NONE);
    traceContext = told.ask(VersionRecorder.ControllerRecorder::traceContext, TraceContext.NONE);
    context = told.ask(of -> of.context(subscriber), subscriber);
  }

  void ended(UpdateResult result) {
    End end = new End(result, Duration.ofNanos(System.nanoTime() - begunNanos));
    told.tell(of -> of.ended(end));
  }

  record Begin(
      WeightsController controller,
      @Nullable WeightsUpdate update,
      Set<String> ranks,
      ContextView context)
      implements VersionRecorder.ControllerBegin {}

  private record End(UpdateResult result, Duration duration)
      implements VersionRecorder.ControllerEnd {}
}
