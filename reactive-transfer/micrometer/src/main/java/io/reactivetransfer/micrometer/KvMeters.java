package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRecorder;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Shows orders and requests of KV caches in a registry of Micrometer: a recorder that a {@link
 * KvCache} is opened with. Needs {@code reactive-transfer-kv-cache} on the class path.
 *
 * <pre>{@code
 * KvCacheOptions options =
 *     KvCacheOptions.builder().recorder(KvMeters.of(registry).build()).build();
 * }</pre>
 *
 * <p>One object may serve several nodes; each has the tags {@code engine}, the first eight digits
 * of its engine's id, and {@code backend}, and each model the tag {@code model}. What meters there
 * are, with their units and tags, is in {@code docs/observability.md}. Of two caches whose meters
 * have the same tags in one registry, of one object or of two, the second is shown when the first
 * has gone.
 *
 * <p><b>When.</b> Those of orders come with the first decode side of a model, those of requests
 * with its first prefill side; all go when the {@link KvCache} is {@linkplain KvCache#closed()
 * closed}. Registering and removing is done on {@code Schedulers.boundedElastic()}, so a moment
 * later.
 *
 * <p><b>What it costs.</b> Nothing for a page, a layer or a write; for an order or a request some
 * sums and one {@code Timer}, or two. It waits for nothing, unless the registry's {@code Timer}
 * does. Of a node there are at most {@link Builder#maxModels} times 25 meters of models by name, 25
 * of all others, and one of the node.
 *
 * <p><b>What goes wrong.</b> What a registry throws is logged, once for each node, and ends
 * nothing: a meter that it refuses is missing.
 */
public final class KvMeters implements KvRecorder {

  private static final Duration SHORTEST = Duration.ofNanos(100_000);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final MeterRegistry registry;
  private final Tags tags;
  private final int maxModels;
  private final boolean histogram;
  private final Showcase shown;
  private final Map<KvCache, ShownKvCache> caches = new ConcurrentHashMap<>();

  private KvMeters(Builder builder) {
    registry = builder.registry;
    tags = builder.tags;
    maxModels = builder.maxModels;
    histogram = builder.histogram;
    shown = Showcase.of(registry);
  }

  /** Begins with the defaults; the registry stays the caller's. */
  public static Builder of(MeterRegistry registry) {
    return new Builder(Objects.requireNonNull(registry, "registry"));
  }

  /** A timer of this pipeline, to be registered. */
  static Timer.Builder timer(String name, String description, boolean histogram) {
    return Timer.builder(Meters.PREFIX + name)
        .description(description)
        .minimumExpectedValue(SHORTEST)
        .maximumExpectedValue(LONGEST)
        .publishPercentileHistogram(histogram);
  }

  private @Nullable KvOrderMeters orders(KvDecode decode) {
    ShownKvCache known = caches.get(decode.cache());
    return known == null ? null : known.orders(decode.model());
  }

  private @Nullable KvRequestMeters requests(KvPrefill prefill) {
    ShownKvCache known = caches.get(prefill.cache());
    return known == null ? null : known.requests(prefill.model());
  }

  @Override
  public void opened(KvCache cache) {
    Meters meters = Meters.of(registry, tags, cache.engine());
    ShownKvCache fresh = new ShownKvCache(meters, maxModels, histogram);
    caches.put(cache, fresh);
    shown.add(fresh);
  }

  @Override
  public void closed(KvCache cache) {
    ShownKvCache known = caches.remove(cache);
    if (known != null) {
      shown.close(known);
    }
  }

  @Override
  public void decodeOpened(KvDecode decode) {
    if (orders(decode) != null) {
      shown.refresh();
    }
  }

  @Override
  public void prefillOpened(KvPrefill prefill) {
    if (requests(prefill) != null) {
      shown.refresh();
    }
  }

  @Override
  public OrderRecorder orderBegun(OrderBegin begin) {
    KvOrderMeters orders = orders(begin.decode());
    if (orders == null) {
      return OrderRecorder.NONE;
    }
    orders.begun();
    return orders;
  }

  @Override
  public RequestRecorder requestQueued(RequestBegin begin) {
    KvRequestMeters requests = requests(begin.prefill());
    if (requests == null) {
      return RequestRecorder.NONE;
    }
    requests.queued();
    return requests;
  }

  @Override
  public void requestRejected(KvCache cache) {
    ShownKvCache known = caches.get(cache);
    if (known != null) {
      known.rejected();
    }
  }

  /** Sets what differs from the defaults: no further tags, 64 models, no histogram. */
  public static final class Builder {
    private final MeterRegistry registry;
    private Tags tags = Tags.empty();
    private int maxModels = 64;
    private boolean histogram;

    private Builder(MeterRegistry registry) {
      this.registry = registry;
    }

    /** Tags that all meters get, such as the role of the node. */
    public Builder tags(Iterable<? extends Tag> tags) {
      this.tags = Tags.of(tags);
      return this;
    }

    /**
     * How many models of a node have meters by name, 0 to 10,000: the first ones that it has. All
     * others are counted under {@code other}.
     */
    public Builder maxModels(int maxModels) {
      this.maxModels = Named.requireLimit(maxModels, "models");
      return this;
    }

    /**
     * Has {@code reactive.transfer.kv.orders}, {@code reactive.transfer.kv.requests} and {@code
     * reactive.transfer.kv.requests.exposed} publish a histogram for each outcome, from which a
     * monitoring system takes percentiles: some 940 more series for each model that is ordered, and
     * 730 for each that is prefilled.
     */
    public Builder percentileHistogram() {
      this.histogram = true;
      return this;
    }

    /** A recorder for as many nodes as are opened with it. */
    public KvMeters build() {
      return new KvMeters(this);
    }
  }
}
