package io.reactivetransfer.weights.version;

import io.reactivetransfer.weights.internal.Recording;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a recorder is told of the updates of one rank; made only if there is one. In turns. */
final class RecordedUpdates {

  private final Recording<VersionRecorder> recording;
  private final WeightsRank rank;

  /** The one that is not over; null if there is none. */
  private @Nullable UpdateNumber pending;

  private long begunNanos;
  private long openedNanos;
  private @Nullable Duration filling;

  /** Since when no leases are given, if so. */
  private long pausedNanos;

  private boolean isPaused;
  private Duration pause = Duration.ZERO;

  RecordedUpdates(Recording<VersionRecorder> recording, WeightsRank rank) {
    this.recording = recording;
    this.rank = rank;
  }

  void paused() {
    isPaused = true;
    pausedNanos = System.nanoTime();
  }

  /** Leases are given again. */
  void resumed() {
    if (isPaused) {
      pause = pause.plus(since(pausedNanos));
      isPaused = false;
    }
  }

  void opened() {
    openedNanos = System.nanoTime();
  }

  void filled() {
    filling = since(openedNanos);
  }

  /**
   * Some event is over.
   *
   * @param now the update that is pending now
   * @param served the one that has written what is served
   * @param reason why the last update was dropped
   */
  void look(@Nullable UpdateNumber now, UpdateNumber served, String reason) {
    UpdateNumber before = pending;
    if (before != null && !before.equals(now)) {
      pending = null;
      end(before, before.equals(served), reason);
    }
    if (now != null && !now.equals(before)) {
      pending = now;
      begunNanos = System.nanoTime();
      recording.tell(recorder -> recorder.updateBegun(rank));
    }
  }

  private void end(UpdateNumber update, boolean isFlipped, String reason) {
    Duration paused = isPaused ? pause.plus(since(pausedNanos)) : pause;
    End end =
        new End(update, isFlipped, since(begunNanos), filling, paused, isFlipped ? "" : reason);
    filling = null;
    pause = Duration.ZERO;
    isPaused = false; // where no leases are given yet, no version is left to give them of
    recording.tell(recorder -> recorder.updateEnded(rank, end));
  }

  private static Duration since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos);
  }

  private record End(
      UpdateNumber update,
      boolean isFlipped,
      Duration duration,
      @Nullable Duration filling,
      Duration pause,
      String reason)
      implements VersionRecorder.UpdateEnd {}
}
