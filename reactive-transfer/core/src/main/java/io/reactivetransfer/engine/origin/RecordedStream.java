package io.reactivetransfer.engine.origin;

import io.reactivetransfer.EngineRecorder.StreamEnd;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a recorder will be told of one stream, when it ends. Belongs to the NIC thread until then.
 */
final class RecordedStream implements StreamEnd {

  private final long beginNanos;
  private long transfers;
  private long bytes;
  private long notDone;
  private Duration duration = Duration.ZERO;
  private @Nullable Throwable failure;
  private boolean cancelled;

  RecordedStream(long nowNanos) {
    this.beginNanos = nowNanos;
  }

  void done(long length) {
    transfers++;
    bytes += length;
  }

  void notDone(long count) {
    notDone += count;
  }

  void end(long nowNanos, @Nullable Throwable failure, boolean cancelled) {
    this.duration = Duration.ofNanos(nowNanos - beginNanos);
    this.failure = failure;
    this.cancelled = cancelled;
  }

  @Override
  public long transfers() {
    return transfers;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public long transfersNotDone() {
    return notDone;
  }

  @Override
  public Duration duration() {
    return duration;
  }

  @Override
  public @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public boolean isCancelled() {
    return cancelled;
  }
}
