package io.reactivetransfer.kvcache;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/**
 * Tells the recorder of a node of one request: that it waits, that it waits no more, and how it has
 * ended. A cancel that comes while the request is being read ends it before the recorder has heard
 * of it, and is told when it has.
 */
final class RequestRecording {

  private final Recording recording;
  private final KvRequest request;
  private final OperationRecording<KvRecorder.RequestRecorder> told;

  RequestRecording(Recording recording, KvRequest request) {
    this.recording = recording;
    this.request = request;
    this.told = new OperationRecording<>(recording.guard(), KvRecorder.RequestRecorder.NONE);
  }

  /** It waits. Before anybody can take it. */
  void queued() {
    told.begins(
        recording.begun(
            new BegunRequest(request.owner(), request, request.message().traceContext())));
  }

  /**
   * It waits no more.
   *
   * @param isTaken whether the application gets it
   */
  void dequeued(boolean isTaken) {
    told.first(recorder -> recorder.dequeued(new EndedWait(request.sinceReceived(), isTaken)));
  }

  /**
   * It is over.
   *
   * @param why says why; null if all was handed over
   */
  void ended(@Nullable Supplier<HandOverException> why) {
    recording
        .guard()
        .tell(() -> {
          KvRecorder.RequestEnd end = request.ending(why == null ? null : why.get());
          told.second(recorder -> recorder.ended(end));
        });
  }

  /** What the application's code sees that serves it. */
  Context context(Context seen) {
    return recording.guard().ask("context", () -> told.recorder().context(seen), seen);
  }
}
