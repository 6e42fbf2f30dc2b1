package io.reactivetransfer.kvcache;

import java.util.function.Consumer;

/** Tells the recorder of one node, if it has one, and survives what that throws. */
final class Recording {

  private final RecorderGuard guard = new RecorderGuard();
  private final KvRecorder recorder;

  Recording(KvRecorder recorder) {
    this.recorder = recorder;
  }

  /** Whether there is one: if not, nobody needs to find out what to tell it. */
  @SuppressWarnings("ReferenceEquality") // the very object
  boolean isOn() {
    return recorder != KvRecorder.NONE;
  }

  /** On any thread, and with no lock held: it is somebody else's code. */
  void tell(Consumer<KvRecorder> event) {
    guard.tell(() -> event.accept(recorder));
  }

  /** Who is told of the rest of this order. */
  KvRecorder.OrderRecorder begun(KvRecorder.OrderBegin order) {
    return guard.ask("orderBegun", () -> recorder.orderBegun(order), KvRecorder.OrderRecorder.NONE);
  }

  /** Who is told of the rest of this request. */
  KvRecorder.RequestRecorder begun(KvRecorder.RequestBegin request) {
    return guard.ask(
        "requestQueued", () -> recorder.requestQueued(request), KvRecorder.RequestRecorder.NONE);
  }

  RecorderGuard guard() {
    return guard;
  }
}
