package io.reactivetransfer.engine.origin;

import io.reactivetransfer.engine.base.Recording;
import io.reactivetransfer.engine.base.Timers;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Counts streams for a recorder, if there is one, and tells it of their ends. A recorder may begin
 * to listen while streams are under way, and is told the whole of them: so each is counted. That
 * must cost no memory while it does not listen, since a stream may be a single write: what counts
 * is reused, and what a recorder is given, and may keep, is made only if it wants it. Belongs to
 * the NIC thread.
 */
public final class StreamRecording {

  /** As many as end together, more or less; others are left to the garbage collector. */
  private static final int MAX_UNUSED = 256;

  private final Recording recording;
  private final Timers timers;
  private final ArrayDeque<StreamCount> unused = new ArrayDeque<>();

  /** For the streams of one engine. */
  public StreamRecording(Recording recording, Timers timers) {
    this.recording = recording;
    this.timers = timers;
  }

  /** A stream has begun; null if there is no recorder. */
  @Nullable StreamCount begin() {
    if (!recording.isOn()) {
      return null;
    }
    StreamCount count = unused.isEmpty() ? new StreamCount() : unused.pop();
    count.begin(timers.turnNanos());
    return count;
  }

  /** Something of a stream is posted. */
  void posted(StreamCount count) {
    count.posted(timers.turnNanos());
  }

  /** A stream has ended, and this is not its own any more. */
  void end(StreamCount count, @Nullable Throwable failure, boolean cancelled) {
    if (recording.isToldOfStreams()) {
      long now = timers.turnNanos();
      EndedStream end =
          new EndedStream(
              count.transfers(),
              count.bytes(),
              count.notDone(),
              Duration.ofNanos(now - count.beginNanos()),
              Duration.ofNanos(count.postedNanos(now) - count.beginNanos()),
              count.isPosted(),
              failure,
              cancelled);
      recording.tell(recorder -> recorder.streamEnded(recording.engine(), end));
    }
    if (unused.size() < MAX_UNUSED) {
      unused.push(count);
    }
  }
}
