package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.moe.GroupFailedException;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeRecorder;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Shows the steps of a mixture of experts in a registry of Micrometer: a recorder that a {@link
 * MoeGroup} is joined with. Needs {@code reactive-transfer-moe} on the class path.
 *
 * <pre>{@code
 * MoeOptions options = MoeOptions.builder().recorder(MoeMeters.of(registry).build()).build();
 * }</pre>
 *
 * <p>One object may serve several groups; each has the tags {@code engine}, the first eight digits
 * of its engine's id, {@code backend}, and {@code group}, its name. Several objects of one registry
 * may be told of groups of one engine, too: failed groups are counted together, names share the
 * limit of the object that was told first, and a group that several are told of is shown by the
 * first. What meters there are, with their units and tags, is in {@code docs/observability.md}.
 *
 * <p><b>When.</b> Meters come when all ranks have joined, and go when the group or its engine has
 * closed; those of the next epoch begin at 0. Of groups whose names are too many, which are {@code
 * other}, they go with the engine. How many groups have failed is counted for each engine, from its
 * first group until it is closed. Registering and removing is done on {@code
 * Schedulers.boundedElastic()}, so a moment later.
 *
 * <p><b>What it costs.</b> Nothing for a token or a write; for a step some sums and three {@code
 * Timer}s, on the thread that has brought its end about. It waits for nothing, unless the
 * registry's {@code Timer} does. Of an engine there are at most {@link Builder#maxGroups} times 11
 * meters of groups by name, 11 of all others, and one of the engine.
 *
 * <p><b>What goes wrong.</b> What a registry throws is logged, once for each group, and ends
 * nothing: a meter that it refuses is missing.
 */
public final class MoeMeters implements MoeRecorder {

  private static final OfRegistry<Map<Tags, ShownMoeEngine>> ENGINES =
      new OfRegistry<>(ConcurrentHashMap::new);
  private static final OfRegistry<NamedShowcase.Shared<MoeGroup, ShownMoeGroup>> GROUPS =
      new OfRegistry<>(NamedShowcase.Shared::new);

  private final MeterRegistry registry;
  private final Tags tags;
  private final boolean histogram;
  private final Showcase shown;
  private final NamedShowcase<MoeGroup, ShownMoeGroup> groups;
  private final Map<Tags, ShownMoeEngine> engines;

  private MoeMeters(Builder builder) {
    registry = builder.registry;
    tags = builder.tags;
    histogram = builder.histogram;
    shown = Showcase.of(registry);
    engines = ENGINES.of(registry);
    groups =
        new NamedShowcase<>(
            shown, GROUPS.of(registry), builder.maxGroups, this::meters, this::group);
  }

  /** Begins with the defaults; the registry stays the caller's. */
  public static Builder of(MeterRegistry registry) {
    return new Builder(Objects.requireNonNull(registry, "registry"));
  }

  @Override
  public void opened(MoeGroup group) {
    TransferEngine engine = group.engine();
    show(engine);
    groups.open(group, engine, group.name());
  }

  private Meters meters(TransferEngine engine) {
    return Meters.of(registry, tags, engine);
  }

  private ShownMoeGroup group(Meters meters, String name) {
    return new ShownMoeGroup(name, meters, histogram);
  }

  private void show(TransferEngine engine) {
    Meters meters = meters(engine);
    ShownMoeEngine fresh = new ShownMoeEngine(meters);
    if (engines.putIfAbsent(meters.tags(), fresh) == null) {
      shown.add(fresh);
      fresh.endWith(
          engine,
          () -> {
            engines.remove(meters.tags());
            shown.close(fresh);
          });
    }
  }

  @Override
  public void closed(MoeGroup group) {
    groups.close(group);
  }

  @Override
  public void groupFailed(MoeGroup group, GroupFailedException reason) {
    ShownMoeGroup known = groups.get(group);
    if (known == null) {
      return;
    }
    known.hasFailed(group);
    ShownMoeEngine engine = engines.get(meters(group.engine()).tags());
    if (engine != null) {
      engine.groupFailed();
    }
  }

  @Override
  public StepRecorder stepBegun(StepBegin begin) {
    ShownMoeGroup known = groups.get(begin.group());
    return known == null ? StepRecorder.NONE : known.begun();
  }

  /** Sets what differs from the defaults: no further tags, 64 groups, no histogram. */
  public static final class Builder {
    private final MeterRegistry registry;
    private Tags tags = Tags.empty();
    private int maxGroups = 64;
    private boolean histogram;

    private Builder(MeterRegistry registry) {
      this.registry = registry;
    }

    /** Tags that all meters get, such as the number of the rank. */
    public Builder tags(Iterable<? extends Tag> tags) {
      this.tags = Tags.of(tags);
      return this;
    }

    /**
     * How many names of groups of an engine have meters, 0 to 10,000: the first ones that it has.
     * All others are counted under {@code other}.
     */
    public Builder maxGroups(int maxGroups) {
      this.maxGroups = Named.requireLimit(maxGroups, "groups");
      return this;
    }

    /**
     * Has {@code reactive.transfer.moe.steps}, {@code reactive.transfer.moe.steps.dispatch} and
     * {@code reactive.transfer.moe.steps.combine} publish a histogram, from which a monitoring
     * system takes percentiles: some 530 more series for each group.
     */
    public Builder percentileHistogram() {
      this.histogram = true;
      return this;
    }

    /** A recorder for as many groups as are joined with it. */
    public MoeMeters build() {
      return new MoeMeters(this);
    }
  }
}
