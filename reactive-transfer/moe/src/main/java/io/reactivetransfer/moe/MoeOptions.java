package io.reactivetransfer.moe;

import io.reactivetransfer.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * How long a rank waits for others, where it computes, and who is told of its steps. Immutable;
 * made by {@link #builder}.
 */
public final class MoeOptions {

  private final Duration deadline;
  private final Duration joinDeadline;
  private final Duration closeTimeout;
  private final Scheduler scheduler;
  private final Scheduler timers;
  private final boolean reusesSteps;
  private final @Nullable MemorySegment flags;
  private final @Nullable DeviceMemory expertMemory;
  private final MoeRecorder recorder;

  private MoeOptions(Builder from) {
    deadline = from.deadline;
    joinDeadline = from.joinDeadline;
    closeTimeout = from.closeTimeout;
    scheduler = from.scheduler;
    timers = from.timers;
    reusesSteps = from.reusesSteps;
    flags = from.flags;
    expertMemory = from.expertMemory;
    recorder = from.recorder;
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

  /** Whether all steps of a lane are one object. */
  public boolean reusesSteps() {
    return reusesSteps;
  }

  /** Words that are raised when something has come, or null. */
  public @Nullable MemorySegment arrivalFlags() {
    return flags;
  }

  /** Where experts get tokens and put results, or null: in the memory of the group. */
  public @Nullable DeviceMemory expertMemory() {
    return expertMemory;
  }

  /** Who is told of what becomes of groups and steps; {@link MoeRecorder#NONE} for nobody. */
  public MoeRecorder recorder() {
    return recorder;
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
    private boolean reusesSteps;
    private @Nullable MemorySegment flags;
    private @Nullable DeviceMemory expertMemory;
    private MoeRecorder recorder = MoeRecorder.NONE;

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

    /**
     * See {@link MoeOptions#scheduler()}; {@code Schedulers.parallel()} unless it is given. It has
     * to live until {@link MoeGroup#close()} has completed.
     */
    public Builder scheduler(Scheduler scheduler) {
      this.scheduler = Objects.requireNonNull(scheduler, "scheduler");
      return this;
    }

    /**
     * Has each step of a lane be the same {@link MoeStep} with the same four publishers, so that
     * with signals on the NIC's thread a step allocates nothing. It is for those who take care:
     * what was kept of a step that is over, or of one that another was begun instead of, is the
     * next one, and a cancel that comes late cancels that. Where a signal of the step before is
     * still to come, the next one is another object all the same. Without it, which is the default,
     * a step is an object of its own, and what comes late concerns nobody.
     */
    public Builder reuseSteps(boolean reuse) {
      this.reusesSteps = reuse;
      return this;
    }

    /**
     * Words of 64 bits that are raised by 1, three for each lane. So they say how many steps that
     * was, and a thread that spins, or an accelerator to which they are mapped, sees it before any
     * signal; what {@link io.reactivetransfer.TransferEngine#watch(MemorySegment)} is in the other
     * direction. A step that is refused counts, one that was never sent does not.
     *
     * <ul>
     *   <li>The first, on the NIC's thread, when all tokens of other groups have come in a step.
     *       They lie in the sections {@link MoeMemory.Section#PRIVATE} and {@link
     *       MoeMemory.Section#OVERFLOW} then. The tokens of this rank's own group are in none of
     *       these.
     *   <li>The second, on the NIC's thread, when all results of others have come, {@link
     *       MoeStep#combineReceive} was subscribed to and this rank's own results are there. Those
     *       of others lie in {@link MoeMemory.Section#RETURNED}.
     *   <li>The third, when the {@link ExpertBatch} is complete, before {@link
     *       MoeStep#dispatchReceive}, which has to be subscribed to for it, emits it: all tokens
     *       lie by expert in {@link MoeMemory.Section#TOKENS}, or in {@link #expertMemory}; or, if
     *       experts compute {@linkplain MoeShape#isInPlace() in place}, where those of others have
     *       come and its own are in send order in {@link MoeMemory.Section#SEND}, and nobody reads
     *       {@link MoeMemory.Section#BLOCKS}. How many each expert has is in the routes, in {@link
     *       MoeMemory.Section#ROWS}.
     * </ul>
     *
     * <p>When the group is over, or fails while ranks join, each word becomes {@link
     * Long#MAX_VALUE}, so that nobody waits for ever who waits until a word is at least some
     * number. All who wait must have ended before the next epoch is joined with the same options.
     *
     * @param words 24 bytes for each lane, in the byte order of the host, aligned to 8, of native
     *     memory of a shared or automatic arena. Set to 0 when all have joined, in each epoch; so
     *     these options are for one group at a time. Keep them alive until {@link MoeGroup#close()}
     *     has completed
     * @throws IllegalArgumentException if they are not aligned, read-only, or confined to a thread
     */
    public Builder arrivalFlags(MemorySegment words) {
      Objects.requireNonNull(words, "words");
      Freed.require("arrival flags", words);
      if (!words.isNative() || words.isReadOnly() || words.address() % Long.BYTES != 0) {
        throw new IllegalArgumentException(
            "expected native memory to write to, aligned to 8, got " + words);
      }
      if (!words.isAccessibleBy(Thread.ofPlatform().unstarted(() -> {}))) {
        throw new IllegalArgumentException(
            "expected arrival flags that any thread may access, got memory confined to one; take a"
                + " shared or automatic arena");
      }
      this.flags = words;
      return this;
    }

    /**
     * Memory of the accelerator on which the experts of this rank compute. Tokens are copied there
     * when all have come and were arranged in the host, before {@link MoeStep#dispatchReceive}
     * emits them, and results are copied from there when {@link MoeStep#combineSend} is subscribed
     * to: what has made them must be over by then, since copies wait for nothing that was given to
     * the device. {@link ExpertBatch#tokenMemory} and {@link ExpertBatch#resultMemory} are where.
     * The memory of the group itself is of the host all the same. Not for a shape that is
     * {@linkplain MoeShape#isInPlace() in place}.
     *
     * @param memory at least {@link MoeMemory#expertBytes()}, at an address that {@link
     *     MoeMemory#ALIGNMENT} divides, of one group at a time; keep it until {@link
     *     MoeGroup#close()} has completed. A group that it is too small for, or whose process does
     *     not reach the accelerator, is not joined
     */
    public Builder expertMemory(DeviceMemory memory) {
      Objects.requireNonNull(memory, "memory");
      if (memory.address() % MoeMemory.ALIGNMENT != 0) {
        throw new IllegalArgumentException(
            "expected memory at a multiple of "
                + MoeMemory.ALIGNMENT
                + " for experts, got "
                + memory);
      }
      this.expertMemory = memory;
      return this;
    }

    /**
     * A scheduler and a clock of the caller's, for instance those of a test in which time passes as
     * the test says: deadlines run out there, and what has failed by them is signalled there.
     * {@code Schedulers.parallel()} unless it is given. It has to live until {@link
     * MoeGroup#close()} has completed: what was to be done on one that is disposed of is dropped,
     * and nobody hears of it.
     */
    public Builder timers(Scheduler timers) {
      this.timers = Objects.requireNonNull(timers, "timers");
      return this;
    }

    /** See {@link MoeOptions#recorder()}; nobody unless it is given. */
    public Builder recorder(MoeRecorder recorder) {
      this.recorder = Objects.requireNonNull(recorder, "recorder");
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
