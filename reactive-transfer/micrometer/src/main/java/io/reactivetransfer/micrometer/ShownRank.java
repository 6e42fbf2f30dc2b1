package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.weights.version.RankState;
import io.reactivetransfer.weights.version.VersionRecorder;
import io.reactivetransfer.weights.version.WeightsRank;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** One inference rank, or all of an engine whose names are too many. */
final class ShownRank extends ShownWeights
    implements VersionRecorder.UpdateRecorder, Members<WeightsRank> {

  private final Set<WeightsRank> ranks = ConcurrentHashMap.newKeySet();
  private final EarlyTimers<UpdateOutcome> updates;
  private final EarlyTimers<UpdateOutcome> fillings;
  private final EarlyTimers<UpdateOutcome> pauses;
  private final LongAdder begun = new LongAdder();
  private final LongAdder ended = new LongAdder();
  private final LongAdder flipped = new LongAdder();

  ShownRank(String name, Meters meters, boolean histogram) {
    super(meters.and("rank", name), histogram);
    this.updates = new EarlyTimers<>(this.meters, UpdateOutcome.class);
    this.fillings = new EarlyTimers<>(this.meters, UpdateOutcome.class);
    this.pauses = new EarlyTimers<>(this.meters, UpdateOutcome.class);
  }

  @Override
  public void came(WeightsRank rank) {
    ranks.add(rank);
  }

  @Override
  public void went(WeightsRank rank) {
    ranks.remove(rank);
  }

  private boolean isServing() {
    return ranks.stream().allMatch(each -> each.status().state() == RankState.SERVING);
  }

  /** Of several, that of the one that is furthest behind. */
  private long version() {
    return ranks.stream().mapToLong(each -> each.status().version()).min().orElse(0);
  }

  private long leases() {
    return ranks.stream().mapToLong(WeightsRank::openLeases).sum();
  }

  /** All updates are counted together, so there is one who is told of them. */
  VersionRecorder.UpdateRecorder begun() {
    begun.increment();
    return this;
  }

  @Override
  public void ended(VersionRecorder.UpdateEnd end) {
    UpdateOutcome outcome = end.isFlipped() ? UpdateOutcome.FLIPPED : UpdateOutcome.DROPPED;
    ended.increment();
    flipped.add(end.bytes());
    pauses.record(outcome, end.pause());
    Duration filling = end.filling();
    if (filling != null && end.isFlipped()) {
      fillings.record(UpdateOutcome.FLIPPED, filling);
    }
    updates.record(outcome, end.duration());
  }

  @Override
  void registerAll() {
    meters.gauge(
        "weights.serving",
        Tags.empty(),
        "1 if leases of a version are given, or 0",
        this,
        self -> self.isServing() ? 1 : 0);
    meters.gauge(
        "weights.version",
        Tags.empty(),
        "the version that is served, or would be; 0 if there is none",
        this,
        ShownRank::version);
    meters.gauge(
        "weights.leases",
        Tags.empty(),
        "leases of versions that are open, for which updates may wait",
        this,
        ShownRank::leases);
    active(
        "weights.updates.active",
        "updates that have begun on this rank and not ended",
        begun,
        ended);
    count(
        "weights.flipped",
        Meters.BYTES,
        "bytes of the buffers that were flipped to, each time all of the buffer",
        flipped);
    pauses.register(
        List.of(UpdateOutcome.values()),
        outcome ->
            timer(
                "weights.updates.pause",
                "for how long an update kept leases from being given",
                Tags.of("outcome", outcome.tag)));
    fillings.register(
        Set.of(UpdateOutcome.FLIPPED),
        _ ->
            timer(
                "weights.updates.filling",
                "updates that were flipped to, from when the buffer was open to writes until all"
                    + " had come",
                Tags.empty()));
    updates.register(
        List.of(UpdateOutcome.values()),
        outcome ->
            timer(
                "weights.updates",
                "updates on this rank, from when it was told of them to their end",
                Tags.of("outcome", outcome.tag)));
  }
}
