package io.reactivetransfer.weights.internal;

import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tells a recorder, if there is one, and survives what that throws. From any thread.
 *
 * @param <R> its kind
 */
public final class Recording<R> {

  private final R recorder;
  private final boolean isOn;
  private final Complaint complaint;

  /**
   * Of one object that is told of.
   *
   * @param none who stands for nobody
   */
  public Recording(R recorder, R none) {
    this(recorder, none, new Complaint());
  }

  @SuppressWarnings("ReferenceEquality") // the very object
  private Recording(R recorder, R none, Complaint complaint) {
    this.recorder = recorder;
    this.isOn = recorder != none;
    this.complaint = complaint;
  }

  /** Whether there is one: if not, nobody needs to find out what to tell it. */
  public boolean isOn() {
    return isOn;
  }

  /** With no lock held: it is somebody else's code. */
  public void tell(Consumer<R> event) {
    if (!isOn) {
      return;
    }
    try {
      event.accept(recorder);
    } catch (Throwable thrown) {
      complaint.say(thrown);
    }
  }

  /**
   * What it answers, with no lock held.
   *
   * @param otherwise the answer if there is none, or if it throws or returns null
   */
  public <T> T ask(Function<R, @Nullable T> question, T otherwise) {
    return isOn ? complaint.orElse(() -> question.apply(recorder), otherwise) : otherwise;
  }

  /**
   * The one that is told of an operation that begins.
   *
   * @param none who stands for nobody there
   */
  public <T> Recording<T> begin(Function<R, @Nullable T> begun, T none) {
    return new Recording<>(ask(begun, none), none, complaint);
  }
}
