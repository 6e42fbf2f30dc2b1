package io.reactivetransfer.moe;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Tells the recorder of one group, if it has one, and survives what that throws. In turns. */
final class Recording {

  private final MoeRecorder recorder;
  private final Complaint complaint = new Complaint(this::name);

  /** Null until all have joined, and once it was closed. */
  private @Nullable MoeGroup group;

  Recording(MoeRecorder recorder) {
    this.recorder = recorder;
  }

  private String name() {
    MoeGroup of = group;
    return of == null ? "a group" : "group " + Texts.oneLine(of.name());
  }

  /** Whether there is one: if not, nobody needs to find out what to tell it. */
  @SuppressWarnings("ReferenceEquality") // the very object
  boolean isOn() {
    return recorder != MoeRecorder.NONE;
  }

  void opened(MoeGroup group) {
    if (isOn()) {
      this.group = group;
      tell(MoeRecorder::opened);
    }
  }

  void closed() {
    if (isOn()) {
      tell(MoeRecorder::closed);
      group = null;
    }
  }

  /** Nothing is told of a group that not all have joined. */
  void tell(BiConsumer<MoeRecorder, MoeGroup> event) {
    MoeGroup of = group;
    if (of != null) {
      tell(() -> event.accept(recorder, of));
    }
  }

  /** Who is told of a step that begins. */
  MoeRecorder.StepRecorder begin(int lane, int tokens) {
    MoeGroup of = group;
    if (of == null) {
      return MoeRecorder.StepRecorder.NONE;
    }
    Begin begin = new Begin(of, lane, tokens);
    return complaint.orElse(() -> recorder.stepBegun(begin), MoeRecorder.StepRecorder.NONE);
  }

  /** Something that was returned is told of something. */
  void tell(Runnable event) {
    try {
      event.run();
    } catch (Throwable thrown) {
      complaint.say(thrown);
    }
  }

  private record Begin(MoeGroup group, int lane, int tokens) implements MoeRecorder.StepBegin {}
}
