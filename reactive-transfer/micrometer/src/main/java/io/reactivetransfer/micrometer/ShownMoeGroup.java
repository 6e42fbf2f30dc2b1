package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeRecorder;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One epoch of a group of experts, on one rank, and its meters; or those of all groups of an engine
 * whose names are too many.
 */
final class ShownMoeGroup extends Shown implements MoeRecorder.StepRecorder, Members<MoeGroup> {

  private static final Duration SHORTEST = Duration.ofNanos(10_000);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final boolean histogram;
  private final EarlyTimers<MoeOutcome> steps;
  private final EarlyTimers<MoeOutcome> dispatches;
  private final EarlyTimers<MoeOutcome> combines;
  private final LongAdder begun = new LongAdder();
  private final LongAdder ended = new LongAdder();
  private final LongAdder computed = new LongAdder();
  private final LongAdder computingNanos = new LongAdder();
  private final LongAdder tokens = new LongAdder();
  private final LongAdder received = new LongAdder();
  private final LongAdder overflow = new LongAdder();
  private final Set<MoeGroup> failedOnes = ConcurrentHashMap.newKeySet();
  private boolean registered;

  ShownMoeGroup(String name, Meters meters, boolean histogram) {
    super(meters.and("group", name));
    this.histogram = histogram;
    this.steps = new EarlyTimers<>(this.meters, MoeOutcome.class);
    this.dispatches = new EarlyTimers<>(this.meters, MoeOutcome.class);
    this.combines = new EarlyTimers<>(this.meters, MoeOutcome.class);
  }

  void hasFailed(MoeGroup group) {
    failedOnes.add(group);
  }

  @Override
  public void went(MoeGroup group) {
    failedOnes.remove(group);
  }

  /** All steps are counted together, so there is one who is told of them. */
  MoeRecorder.StepRecorder begun() {
    begun.increment();
    return this;
  }

  @Override
  public void ended(MoeRecorder.StepEnd end) {
    MoeOutcome outcome = MoeOutcome.of(end.failure());
    ended.increment();
    if (outcome == MoeOutcome.DONE) {
      tokens.add(end.tokens());
      received.add(end.received());
      overflow.add(end.overflow());
      record(dispatches, end.dispatch());
      record(combines, end.combine());
      Duration experts = end.experts();
      if (experts != null) {
        computed.increment();
        computingNanos.add(experts.toNanos());
      }
    }
    steps.record(outcome, end.duration());
  }

  private static void record(EarlyTimers<MoeOutcome> timers, @Nullable Duration duration) {
    if (duration != null) {
      timers.record(MoeOutcome.DONE, duration);
    }
  }

  @Override
  void register() {
    if (registered) {
      return;
    }
    registered = true;
    meters.gauge(
        "moe.up",
        Tags.empty(),
        "1, or 0 once the group has failed, until it is closed",
        this,
        self -> self.failedOnes.isEmpty() ? 1 : 0);
    meters.gauge(
        "moe.steps.active",
        Tags.empty(),
        "steps that were begun and have not ended",
        this,
        self -> Meters.between(self.ended, self.begun));
    meters.timer(
        "moe.steps.experts",
        "steps that were done, from when experts had their tokens until their results were sent",
        this,
        self -> self.computed.sum(),
        self -> self.computingNanos.sum());
    count("moe.tokens", "tokens of this rank's group, in steps that were done", tokens);
    count(
        "moe.tokens.received",
        "tokens that this rank's experts have got, each counted for each of these experts",
        received);
    count(
        "moe.tokens.overflow",
        "tokens that this rank has sent only when all routes had come, since private slots were"
            + " full, each counted for each expert",
        overflow);
    one(
        dispatches,
        "moe.steps.dispatch",
        "steps that were done, from their beginning until experts had the tokens of all ranks");
    one(
        combines,
        "moe.steps.combine",
        "steps that were done, from when results were sent until the sums were there");
    steps.register(
        List.of(MoeOutcome.values()),
        outcome ->
            timer(
                "moe.steps",
                "steps, from their beginning until the sums were there, or to their end",
                Tags.of("outcome", outcome.tag)));
  }

  private void count(String name, String description, LongAdder count) {
    meters.counter(name, Tags.empty(), null, description, count, LongAdder::sum);
  }

  private void one(EarlyTimers<MoeOutcome> timers, String name, String description) {
    timers.register(Set.of(MoeOutcome.DONE), _ -> timer(name, description, Tags.empty()));
  }

  private @Nullable Timer timer(String name, String description, Tags more) {
    return meters.timer(
        Timer.builder(Meters.PREFIX + name)
            .description(description)
            .minimumExpectedValue(SHORTEST)
            .maximumExpectedValue(LONGEST)
            .publishPercentileHistogram(histogram),
        more);
  }
}
