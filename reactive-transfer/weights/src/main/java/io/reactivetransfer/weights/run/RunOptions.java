package io.reactivetransfer.weights.run;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** How a rank of the trainer does its part of a table. Immutable. */
public final class RunOptions {

  private static final Duration LONGEST = Duration.ofDays(365);

  private final long temporaryBytes;
  private final PrepareFunction prepare;
  private final Scheduler scheduler;
  private final int parallelism;
  private final List<PeerAddress> trainers;
  private final boolean groupsInTurn;
  private final Duration deadline;
  private final Scheduler timers;
  private final RunRecorder recorder;

  private RunOptions(Builder builder) {
    this.temporaryBytes = builder.temporaryBytes;
    this.prepare = builder.prepare;
    this.scheduler = builder.scheduler;
    this.parallelism = builder.parallelism;
    this.trainers = builder.trainers;
    this.groupsInTurn = builder.groupsInTurn;
    this.deadline = builder.deadline;
    this.timers = builder.timers;
    this.recorder = builder.recorder;
  }

  /** Those that are used unless others are given. */
  public static RunOptions defaults() {
    return builder().build();
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The watermark: how many bytes of temporaries a rank has at most, whatever number of runs. Steps
   * take room in their order; a step that needs more is refused when the rank is opened.
   */
  public long temporaryBytes() {
    return temporaryBytes;
  }

  /** What casts and quantises. */
  public PrepareFunction prepare() {
    return prepare;
  }

  /** Where steps are loaded and prepared. */
  public Scheduler scheduler() {
    return scheduler;
  }

  /** How many steps are loaded or prepared at once, at least 1. */
  public int parallelism() {
    return parallelism;
  }

  /** The engines of all ranks of the trainer, in the order of the table; empty if not known. */
  public List<PeerAddress> trainers() {
    return trainers;
  }

  /**
   * Whether the steps of a mesh group wait until all trainers have done those of the one before.
   */
  public boolean groupsInTurn() {
    return groupsInTurn;
  }

  /** How long a run may take. */
  public Duration deadline() {
    return deadline;
  }

  /** What the deadline goes by. */
  public Scheduler timers() {
    return timers;
  }

  /** Who is told of what becomes of runs; {@link RunRecorder#NONE} for nobody. */
  public RunRecorder recorder() {
    return recorder;
  }

  /** Sets what differs from the defaults. */
  public static final class Builder {
    private long temporaryBytes = 1L << 30;
    private PrepareFunction prepare = PrepareFunction.standard();
    private Scheduler scheduler = Schedulers.boundedElastic();
    private int parallelism = Runtime.getRuntime().availableProcessors();
    private List<PeerAddress> trainers = List.of();
    private boolean groupsInTurn;
    private Duration deadline = Duration.ofMinutes(10);
    private Scheduler timers = Schedulers.parallel();
    private RunRecorder recorder = RunRecorder.NONE;

    private Builder() {}

    /** See {@link RunOptions#temporaryBytes()}; 1 GiB unless set. */
    public Builder temporaryBytes(long bytes) {
      if (bytes < 0) {
        throw new IllegalArgumentException("expected temporaries of 0 or more bytes, got " + bytes);
      }
      this.temporaryBytes = bytes;
      return this;
    }

    /** See {@link RunOptions#prepare()}; {@link PrepareFunction#standard()} unless set. */
    public Builder prepare(PrepareFunction function) {
      this.prepare = Objects.requireNonNull(function, "function");
      return this;
    }

    /** See {@link RunOptions#scheduler()}; {@link Schedulers#boundedElastic()} unless set. */
    public Builder scheduler(Scheduler scheduler) {
      this.scheduler = Objects.requireNonNull(scheduler, "scheduler");
      return this;
    }

    /** See {@link RunOptions#parallelism()}; the number of processors unless set. */
    public Builder parallelism(int steps) {
      if (steps < 1) {
        throw new IllegalArgumentException("expected 1 or more steps at once, got " + steps);
      }
      this.parallelism = steps;
      return this;
    }

    /**
     * See {@link RunOptions#trainers()}. Needed where a table gathers, and where groups take turns.
     */
    public Builder trainers(List<PeerAddress> trainers) {
      this.trainers = List.copyOf(trainers);
      return this;
    }

    /** See {@link RunOptions#groupsInTurn()}; false unless set. */
    public Builder groupsInTurn(boolean inTurn) {
      this.groupsInTurn = inTurn;
      return this;
    }

    /** See {@link RunOptions#deadline()}; 10 minutes unless set. */
    public Builder deadline(Duration deadline) {
      if (deadline.isNegative() || deadline.isZero() || deadline.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "expected a deadline above 0 and of at most 365 days, got " + deadline);
      }
      this.deadline = deadline;
      return this;
    }

    /** See {@link RunOptions#timers()}; {@link Schedulers#parallel()} unless set. */
    public Builder timers(Scheduler timers) {
      this.timers = Objects.requireNonNull(timers, "timers");
      return this;
    }

    /** See {@link RunOptions#recorder()}; nobody unless it is set. */
    public Builder recorder(RunRecorder recorder) {
      this.recorder = Objects.requireNonNull(recorder, "recorder");
      return this;
    }

    /** The options. */
    public RunOptions build() {
      return new RunOptions(this);
    }
  }
}
