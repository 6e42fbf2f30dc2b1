package io.reactivetransfer.engine.base;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import java.util.function.Consumer;

/** Tells the recorder of one engine, if it has one, and survives what that throws. */
public final class Recording {

  private final EngineRecorder recorder;
  private final EngineId engine;
  private final Consumer<String> thrown;

  Recording(EngineRecorder recorder, EngineId engine, Consumer<String> thrown) {
    this.recorder = recorder;
    this.engine = engine;
    this.thrown = thrown;
  }

  /** Whether there is one: if not, nobody needs to find out what to tell it. */
  @SuppressWarnings("ReferenceEquality") // the very object
  public boolean isOn() {
    return recorder != EngineRecorder.NONE;
  }

  /** Of which engine it is told. */
  public EngineId engine() {
    return engine;
  }

  /** Whether it wants to be told of the end of a stream now. On the NIC thread. */
  public boolean isToldOfStreams() {
    try {
      return isOn() && recorder.isToldOfStreams();
    } catch (Throwable failure) {
      survived(failure);
      return true;
    }
  }

  /** On the NIC thread. */
  public void tell(Consumer<EngineRecorder> event) {
    if (isOn()) {
      try {
        event.accept(recorder);
      } catch (Throwable failure) {
        survived(failure);
      }
    }
  }

  private void survived(Throwable failure) {
    thrown.accept(
        "the recorder has thrown, which it must not: "
            + failure.getClass().getName()
            + ": "
            + Signals.textOf(failure));
  }
}
