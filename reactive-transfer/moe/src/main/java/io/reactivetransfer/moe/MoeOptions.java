package io.reactivetransfer.moe;

import java.time.Duration;
import java.util.Objects;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** How long a rank waits for others, and where it computes. Immutable; made by {@link #builder}. */
public final class MoeOptions {

  private final Duration deadline;
  private final Duration joinDeadline;
  private final Duration closeTimeout;
  private final Scheduler scheduler;
  private final Scheduler timers;

  private MoeOptions(Builder from) {
    deadline = from.deadline;
    joinDeadline = from.joinDeadline;
    closeTimeout = from.closeTimeout;
    scheduler = from.scheduler;
    timers = from.timers;
  }

  /**
   * How long each wait for others may take within a step, and each write; what takes longer ends
   * the group.
   */
  public Duration deadline() {
    return deadline;
  }

  /** How long it may take until all ranks have joined. */
  public Duration joinDeadline() {
    return joinDeadline;
  }

  /** How long {@link MoeGroup#close()} waits for others to close, too. */
  public Duration closeTimeout() {
    return closeTimeout;
  }

  /** Where tokens and results are copied and summed up. */
  public Scheduler scheduler() {
    return scheduler;
  }

  /** What tells that time has passed. */
  public Scheduler timers() {
    return timers;
  }

  /**
   * The defaults: 30 s for each wait, 60 s to join, 5 s to close, {@code Schedulers.parallel()}.
   */
  public static MoeOptions defaults() {
    return builder().build();
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Sets what differs from the defaults. */
  public static final class Builder {
    private Duration deadline = Duration.ofSeconds(30);
    private Duration joinDeadline = Duration.ofSeconds(60);
    private Duration closeTimeout = Duration.ofSeconds(5);
    private Scheduler scheduler = Schedulers.parallel();
    private Scheduler timers = Schedulers.parallel();

    private Builder() {}

    /** See {@link MoeOptions#deadline()}; above 0. */
    public Builder deadline(Duration deadline) {
      this.deadline = positive("deadline", deadline);
      return this;
    }

    /** See {@link MoeOptions#joinDeadline()}; above 0. */
    public Builder joinDeadline(Duration joinDeadline) {
      this.joinDeadline = positive("joinDeadline", joinDeadline);
      return this;
    }

    /** See {@link MoeOptions#closeTimeout()}; above 0. */
    public Builder closeTimeout(Duration closeTimeout) {
      this.closeTimeout = positive("closeTimeout", closeTimeout);
      return this;
    }

    /** See {@link MoeOptions#scheduler()}. */
    public Builder scheduler(Scheduler scheduler) {
      this.scheduler = Objects.requireNonNull(scheduler, "scheduler");
      return this;
    }

    /**
     * A scheduler and a clock of the caller's, for instance those of a test in which time passes as
     * the test says: deadlines run out there. {@code Schedulers.parallel()} unless it is given.
     */
    public Builder timers(Scheduler timers) {
      this.timers = Objects.requireNonNull(timers, "timers");
      return this;
    }

    private static Duration positive(String name, Duration value) {
      Objects.requireNonNull(value, name);
      if (value.isNegative() || value.isZero() || value.compareTo(Duration.ofDays(365)) > 0) {
        throw new IllegalArgumentException(
            "expected " + name + " above 0 and up to 365 days, got " + value);
      }
      return value;
    }

    /** The options. */
    public MoeOptions build() {
      return new MoeOptions(this);
    }
  }
}
