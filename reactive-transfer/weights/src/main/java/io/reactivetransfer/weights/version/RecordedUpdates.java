package io.reactivetransfer.weights.version;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.weights.internal.Recording;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/** What a recorder is told of the updates of one rank; made only if there is one. In turns. */
final class RecordedUpdates {

  private static final Recording<VersionRecorder.UpdateRecorder> NOBODY =
      new Recording<>(VersionRecorder.UpdateRecorder.NONE, VersionRecorder.UpdateRecorder.NONE);

  private final Recording<VersionRecorder> recording;
  private final WeightsRank rank;

  /** Who is told of the one that is not over. */
  private Recording<VersionRecorder.UpdateRecorder> told = NOBODY;

  private Context context = Context.empty();

  /** The one that is not over; null if there is none. */
  private @Nullable UpdateNumber pending;

  /** Its end, if it was dropped in the event that is not over. */
  private @Nullable End dropped;

  private long begunNanos;
  private long openedNanos;
  private @Nullable Duration filling;

  /** Since when no leases are given, if so. */
  private long pausedNanos;

  private boolean isPaused;

  /** Bytes of the buffer that is served. */
  private long servedBytes;

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

  /** Leases are given of a buffer of so many bytes. */
  void served(long bytes) {
    servedBytes = bytes;
    resumed();
  }

  void opened() {
    openedNanos = System.nanoTime();
  }

  /** All bytes of an update are there, which may have been dropped before. */
  void filled(UpdateNumber update) {
    if (update.equals(pending)) {
      filling = since(openedNanos);
    }
  }

  /** Behind what it does to leases, and before what the next update does to them. */
  void dropped(UpdateNumber update, String reason) {
    if (update.equals(pending) && dropped == null) {
      dropped = endOf(update, false, reason);
    }
  }

  /** What a look at what has come of the update that is not over is subscribed to with. */
  Context context() {
    return context;
  }

  /**
   * The rank was closed: what is pending is over.
   *
   * @param served the update that has written what was served last
   */
  void closed(UpdateNumber served) {
    UpdateNumber update = pending;
    if (update != null && !update.equals(served)) {
      dropped(update, "the rank was closed");
    }
    look(null, null, served);
  }

  /**
   * Some event is over.
   *
   * @param order the update that is pending now
   * @param controller who has begun it
   * @param served the one that has written what is served
   */
  void look(Command.@Nullable Prepare order, @Nullable Peer controller, UpdateNumber served) {
    UpdateNumber now = order == null ? null : order.update();
    UpdateNumber before = pending;
    if (before != null && !before.equals(now)) {
      End end = dropped == null ? endOf(before, before.equals(served), "") : dropped;
      pending = null;
      dropped = null;
      told.tell(of -> of.ended(end));
      told = NOBODY;
      context = Context.empty();
    }
    if (order != null && controller != null && !order.update().equals(before)) {
      pending = order.update();
      begunNanos = System.nanoTime();
      Begin begin =
          new Begin(
              rank,
              order.update(),
              order.version(),
              order.mode(),
              controller,
              order.traceContext());
      told =
          recording.begin(
              recorder -> recorder.updateBegun(begin), VersionRecorder.UpdateRecorder.NONE);
      context = told.ask(of -> of.context(Context.empty()), Context.empty());
    }
  }

  /** Of an update that ends now; what is timed from now on is of the next one. */
  private End endOf(UpdateNumber update, boolean isFlipped, String reason) {
    Duration paused = isPaused ? pause.plus(since(pausedNanos)) : pause;
    long bytes = isFlipped ? servedBytes : 0;
    End end = new End(update, isFlipped, bytes, since(begunNanos), filling, paused, reason);
    filling = null;
    pause = Duration.ZERO;
    isPaused = false; // where no leases are given yet, no version is left to give them of
    return end;
  }

  private static Duration since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos);
  }

  private record Begin(
      WeightsRank rank,
      UpdateNumber update,
      long version,
      UpdateMode mode,
      Peer controller,
      TraceContext traceContext)
      implements VersionRecorder.UpdateBegin {}

  private record End(
      UpdateNumber update,
      boolean isFlipped,
      long bytes,
      Duration duration,
      @Nullable Duration filling,
      Duration pause,
      String reason)
      implements VersionRecorder.UpdateEnd {}
}
