package io.reactivetransfer.kvcache;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * What a {@link KvCache} grants to others, by which clock it goes, and who is told of what it does.
 * Immutable.
 */
public final class KvCacheOptions {

  private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

  private final long maxWaitingBytes;
  private final Duration maxDeadline;
  private final @Nullable Scheduler timers;
  private final KvRecorder recorder;

  private KvCacheOptions(Builder builder) {
    this.maxWaitingBytes = builder.maxWaitingBytes;
    this.maxDeadline = builder.maxDeadline;
    this.timers = builder.timers;
    this.recorder = builder.recorder;
  }

  /** Those that are used unless others are given. */
  public static KvCacheOptions defaults() {
    return builder().build();
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * While requests of so many bytes wait at a prefill node until they are taken, it reads no more,
   * and the rest waits at those who sent them: nothing is refused for that. The one that fills it
   * may be longer. Of one decode node and one model at most 8 MiB wait, or one request. Requests
   * for models that nobody reads at the moment wait, too, but in half of the room at most; beyond
   * that they are refused.
   */
  public long maxWaitingBytes() {
    return maxWaitingBytes;
  }

  /**
   * The longest time that a prefill node gives to a request, from when it has read it. One that
   * asks for more is given this much.
   */
  public Duration maxDeadline() {
    return maxDeadline;
  }

  @Nullable Scheduler timers() {
    return timers;
  }

  /** Who is told of what becomes of orders and requests; {@link KvRecorder#NONE} for nobody. */
  public KvRecorder recorder() {
    return recorder;
  }

  /** Sets what differs from the defaults. */
  public static final class Builder {
    private long maxWaitingBytes = 64L << 20;
    private Duration maxDeadline = Duration.ofMinutes(10);
    private @Nullable Scheduler timers;
    private KvRecorder recorder = KvRecorder.NONE;

    private Builder() {}

    /** See {@link KvCacheOptions#maxWaitingBytes()}; at least 1, 64 MiB unless it is given. */
    public Builder maxWaitingBytes(long bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException(
            "expected 1 or more bytes of requests that may wait, got " + bytes);
      }
      this.maxWaitingBytes = bytes;
      return this;
    }

    /** See {@link KvCacheOptions#maxDeadline()}; 1 ms to 24 days, 10 minutes unless it is given. */
    public Builder maxDeadline(Duration deadline) {
      if (deadline.compareTo(Duration.ofMillis(1)) < 0 || deadline.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "expected a longest deadline of 1 ms to 24 days, got " + deadline);
      }
      this.maxDeadline = deadline;
      return this;
    }

    /**
     * A scheduler and a clock of the caller's, for instance those of a test in which time passes as
     * the test says: what is due later runs there, such as the end of a deadline, and by its {@code
     * now}. It can delay tasks. What it rejects, because it was disposed of, runs on {@code
     * Schedulers.parallel()}; so does all unless it is given.
     */
    public Builder timers(Scheduler timers) {
      this.timers = Objects.requireNonNull(timers, "timers");
      return this;
    }

    /** See {@link KvCacheOptions#recorder()}; nobody unless it is given. */
    public Builder recorder(KvRecorder recorder) {
      this.recorder = Objects.requireNonNull(recorder, "recorder");
      return this;
    }

    /** The options. */
    public KvCacheOptions build() {
      return new KvCacheOptions(this);
    }
  }
}
