package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.run.RunRecorder;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.VersionRecorder;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Shows updates of weights in a registry of Micrometer: a recorder for trainers, inference ranks
 * and controllers. Needs {@code reactive-transfer-weights} on the class path.
 *
 * <pre>{@code
 * WeightsMeters meters = WeightsMeters.of(registry).build();
 * RunOptions run = RunOptions.builder().recorder(meters).build(); // of a rank of the trainer
 * WeightsRankBuilder rank = WeightsRank.on(engine, "rank-0").recorder(meters);
 * WeightsController controller =
 *     WeightsController.open(engine, Schedulers.parallel(), meters);
 * }</pre>
 *
 * <p>One object may serve several of all three; each has the tags {@code engine}, the first eight
 * digits of its engine's id, and {@code backend}. Trainers and inference ranks have their name as
 * the tag {@code rank}. Several objects of one registry may be told of ranks of one engine: names
 * share the limit of the object that was told first, and what several are told of is shown by the
 * first. What meters there are, with their units and tags, is in {@code docs/observability.md}.
 *
 * <p><b>When.</b> Meters come when a rank or a controller has opened, and go when it was closed, or
 * its engine was. Of ranks whose names are too many, which are {@code other}, they go with the
 * engine. Registering and removing is done on {@code Schedulers.boundedElastic()}, so a moment
 * later.
 *
 * <p><b>What it costs.</b> Nothing for a write, a step or a lease; for an update some sums and at
 * most three {@code Timer}s. It waits for nothing, unless the registry's {@code Timer} does. Of an
 * engine there are at most {@link Builder#maxRanks} times 6 meters of trainers by name, and 9 of
 * inference ranks, so many of all others, and 7 of a controller. Held is an inference rank until it
 * was closed.
 *
 * <p><b>What goes wrong.</b> What a registry throws is logged, once for each rank and controller,
 * and ends nothing: a meter that it refuses is missing.
 */
public final class WeightsMeters implements RunRecorder, VersionRecorder {

  private static final OfRegistry<NamedShowcase.Shared<TrainerRank, ShownTrainer>> TRAINERS =
      new OfRegistry<>(NamedShowcase.Shared::new);
  private static final OfRegistry<NamedShowcase.Shared<WeightsRank, ShownRank>> RANKS =
      new OfRegistry<>(NamedShowcase.Shared::new);

  private final MeterRegistry registry;
  private final Tags tags;
  private final boolean histogram;
  private final Showcase shown;
  private final NamedShowcase<TrainerRank, ShownTrainer> trainers;
  private final NamedShowcase<WeightsRank, ShownRank> ranks;
  private final Map<WeightsController, ShownController> controllers = new ConcurrentHashMap<>();

  private WeightsMeters(Builder builder) {
    registry = builder.registry;
    tags = builder.tags;
    histogram = builder.histogram;
    shown = Showcase.of(registry);
    trainers =
        new NamedShowcase<>(
            shown, TRAINERS.of(registry), builder.maxRanks, this::meters, this::trainer);
    ranks =
        new NamedShowcase<>(shown, RANKS.of(registry), builder.maxRanks, this::meters, this::rank);
  }

  /** Begins with the defaults; the registry stays the caller's. */
  public static Builder of(MeterRegistry registry) {
    return new Builder(Objects.requireNonNull(registry, "registry"));
  }

  private Meters meters(TransferEngine engine) {
    return Meters.of(registry, tags, engine);
  }

  private ShownTrainer trainer(Meters meters, String name) {
    return new ShownTrainer(name, meters, histogram);
  }

  private ShownRank rank(Meters meters, String name) {
    return new ShownRank(name, meters, histogram);
  }

  @Override
  public void opened(TrainerRank rank) {
    trainers.open(rank, rank.engine(), rank.name());
  }

  @Override
  public void closed(TrainerRank rank) {
    trainers.close(rank);
  }

  @Override
  public OneRunRecorder runBegun(RunBegin begin) {
    ShownTrainer known = trainers.get(begin.rank());
    return known == null ? OneRunRecorder.NONE : known.begun();
  }

  @Override
  public void opened(WeightsRank rank) {
    ranks.open(rank, rank.engine(), rank.name());
  }

  @Override
  public void closed(WeightsRank rank) {
    ranks.close(rank);
  }

  @Override
  public UpdateRecorder updateBegun(UpdateBegin begin) {
    ShownRank known = ranks.get(begin.rank());
    return known == null ? UpdateRecorder.NONE : known.begun();
  }

  @Override
  public void opened(WeightsController controller) {
    TransferEngine engine = controller.engine();
    ShownController fresh = new ShownController(meters(engine), histogram);
    controllers.put(controller, fresh);
    shown.add(fresh);
    fresh.endWith(engine, () -> closed(controller));
  }

  @Override
  public void closed(WeightsController controller) {
    ShownController known = controllers.remove(controller);
    if (known != null) {
      shown.close(known);
    }
  }

  @Override
  public ControllerRecorder updateBegun(ControllerBegin begin) {
    ShownController known = controllers.get(begin.controller());
    return known == null ? ControllerRecorder.NONE : known;
  }

  /** Sets what differs from the defaults: no further tags, 64 ranks, no histogram. */
  public static final class Builder {
    private final MeterRegistry registry;
    private Tags tags = Tags.empty();
    private int maxRanks = 64;
    private boolean histogram;

    private Builder(MeterRegistry registry) {
      this.registry = registry;
    }

    /** Tags that all meters get, such as the name of the model. */
    public Builder tags(Iterable<? extends Tag> tags) {
      this.tags = Tags.of(tags);
      return this;
    }

    /**
     * How many names of trainers of an engine have meters, and how many of its inference ranks, 0
     * to 10,000: the first ones that it has. All others are counted under {@code other}.
     */
    public Builder maxRanks(int maxRanks) {
      this.maxRanks = Named.requireLimit(maxRanks, "ranks");
      return this;
    }

    /**
     * Has all timers publish a histogram for each outcome, from which a monitoring system takes
     * percentiles: some 90 more series for each timer and outcome, so 260 for a rank of the
     * trainer, 440 for an inference rank, and 530 for a controller.
     */
    public Builder percentileHistogram() {
      this.histogram = true;
      return this;
    }

    /** A recorder for as many ranks and controllers as are opened with it. */
    public WeightsMeters build() {
      return new WeightsMeters(this);
    }
  }
}
