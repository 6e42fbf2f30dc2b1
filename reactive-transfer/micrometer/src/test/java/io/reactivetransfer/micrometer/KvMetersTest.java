package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredCaches.BYTES;
import static io.reactivetransfer.micrometer.MeteredCaches.MODEL;
import static io.reactivetransfer.micrometer.MeteredCaches.PAGES;
import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static io.reactivetransfer.micrometer.MeteredEngines.sum;
import static io.reactivetransfer.micrometer.MeteredEngines.tag;
import static io.reactivetransfer.micrometer.MeteredEngines.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivetransfer.PageList;
import io.reactivetransfer.kvcache.HandOverException;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.kvcache.KvRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a registry says of KV caches, beside what was handed over. */
class KvMetersTest {

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  private final MeterRegistry registry = new SimpleMeterRegistry();

  private MeteredCaches open() {
    return new MeteredCaches(engines, KvMeters.of(registry).build());
  }

  @Test
  void figuresAreWhatWasHandedOver() {
    MeteredCaches caches =
        new MeteredCaches(engines, KvMeters.of(registry).tags(Tags.of("role", "test")).build());
    long began = System.nanoTime();
    caches.handOver();
    caches.handOver();
    String[] ordered = {
      "engine", tag(caches.decodeEngine), "backend", "loopback", "role", "test", "model", MODEL
    };
    String[] asked = {"engine", tag(caches.prefillEngine), "role", "test", "model", MODEL};
    until(2, registry, "kv.orders", ordered);
    assertThat(sum(registry, "kv.orders", "outcome", "done")).isEqualTo(2);
    assertThat(sum(registry, "kv.orders.active", ordered)).isZero();
    assertThat(sum(registry, "kv.orders.held", ordered)).isZero();
    assertThat(sum(registry, "kv.orders.first", ordered)).isEqualTo(2);
    assertThat(sum(registry, "kv.received", ordered)).isEqualTo(2 * BYTES);
    assertThat(sum(registry, "kv.pages.received", ordered)).isEqualTo(2 * PAGES);
    until(2, registry, "kv.requests", asked);
    assertThat(sum(registry, "kv.requests", "outcome", "done")).isEqualTo(2);
    assertThat(sum(registry, "kv.requests.exposed", asked)).isEqualTo(2);
    assertThat(sum(registry, "kv.requests.queue", asked)).isEqualTo(2);
    assertThat(sum(registry, "kv.requests.waiting", asked)).isZero();
    assertThat(sum(registry, "kv.requests.active", asked)).isZero();
    assertThat(sum(registry, "kv.written", asked)).isEqualTo(2 * BYTES);
    assertThat(sum(registry, "kv.requests.rejected")).isZero();
    double order =
        registry
            .get("reactive.transfer.kv.orders")
            .tag("outcome", "done")
            .timer()
            .totalTime(TimeUnit.NANOSECONDS);
    double exposed =
        registry
            .get("reactive.transfer.kv.requests.exposed")
            .timer()
            .totalTime(TimeUnit.NANOSECONDS);
    assertThat(order).isPositive();
    // The two are told on different threads, of which one may be late.
    assertThat(exposed).isPositive().isLessThan(System.nanoTime() - began);
  }

  @Test
  void whatWaitsAndRunsIsShown() {
    MeteredCaches caches = open();
    CompletableFuture<Void> order = caches.ordered();
    until(1, registry, "kv.requests.waiting");
    until(1, registry, "kv.orders.active");
    KvRequest request = caches.nextRequest();
    until(0, registry, "kv.requests.waiting");
    assertThat(sum(registry, "kv.requests.active")).isEqualTo(1);
    caches.handOver(request);
    Mono.fromFuture(order).block(PATIENCE);
    until(0, registry, "kv.requests.active");
    until(0, registry, "kv.orders.active");
    assertThat(sum(registry, "kv.requests.queue")).isEqualTo(1);
    Disposable left = caches.decode.receive(caches.order(), _ -> Mono.empty()).subscribe();
    until(1, registry, "kv.requests.waiting");
    left.dispose();
    until(0, registry, "kv.requests.waiting");
    assertThat(sum(registry, "kv.requests.queue")).isEqualTo(1); // nobody has taken it
  }

  @Test
  void whatIsNotDoneIsCountedByItsCause() {
    MeteredCaches caches = open();
    CompletableFuture<Void> refused = caches.ordered();
    caches.prefill.refuse(caches.nextRequest(), "not today").block(PATIENCE);
    assertThatThrownBy(() -> Mono.fromFuture(refused).block(PATIENCE))
        .isInstanceOf(HandOverException.class);
    until(1, registry, "kv.orders", "outcome", "refused");
    until(1, registry, "kv.requests", "outcome", "refused");

    CompletableFuture<Void> withdrawn = caches.ordered();
    Disposable stopped =
        caches
            .prefill
            .handOver(caches.nextRequest(), PageList.range(0, PAGES), Flux.never())
            .subscribe();
    stopped.dispose();
    assertThatThrownBy(() -> Mono.fromFuture(withdrawn).block(PATIENCE))
        .isInstanceOf(HandOverException.class);
    until(1, registry, "kv.orders", "outcome", "peer_cancelled");
    until(1, registry, "kv.requests", "outcome", "cancelled");

    Disposable cancelled = caches.decode.receive(caches.order(), _ -> Mono.empty()).subscribe();
    KvRequest request = caches.nextRequest();
    cancelled.dispose();
    request.ended().block(PATIENCE);
    until(1, registry, "kv.orders", "outcome", "cancelled");
    until(2, registry, "kv.requests", "outcome", "cancelled");
    until(0, registry, "kv.orders.held");

    CompletableFuture<Void> lost = caches.ordered();
    caches.nextRequest();
    MeteredEngines.close(caches.prefillEngine);
    assertThatThrownBy(() -> Mono.fromFuture(lost).block(PATIENCE))
        .isInstanceOf(HandOverException.class);
    until(1, registry, "kv.orders", "outcome", "peer_lost");
    assertThat(sum(registry, "kv.orders")).isEqualTo(4);
    assertThat(sum(registry, "kv.received")).isZero();
    until(0, registry, "kv.orders.active");
    until(0, registry, "kv.orders.held");
  }

  @Test
  void aModelThatIsNotThereIsARejection() {
    MeteredCaches caches = open();
    String other = "another model";
    Mono<Void> order =
        caches
            .decodeCache
            .decode(other, MeteredCaches.memory(caches.decodeEngine))
            .receive(caches.order(), _ -> Mono.empty());
    assertThatThrownBy(() -> order.block(PATIENCE)).isInstanceOf(HandOverException.class);
    until(1, registry, "kv.requests.rejected", "engine", tag(caches.prefillEngine));
    until(1, registry, "kv.orders", "outcome", "refused", "model", other);
  }

  @Test
  void closingRemovesTheMetersOfThatNodeAndAnotherOneThereHasItsOwn() {
    KvMeters meters = KvMeters.of(registry).build();
    MeteredCaches caches = new MeteredCaches(engines, meters);
    caches.handOver();
    until(1, registry, "kv.orders");
    until(1, registry, "kv.requests");
    caches.prefillCache.dispose();
    caches.prefillCache.closed().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> sum(registry, "kv.requests") == 0);
    assertThat(sum(registry, "kv.orders")).isEqualTo(1);
    assertThat(registry.find("reactive.transfer.kv.requests.waiting").gauge()).isNull();
    KvCacheOptions options = KvCacheOptions.builder().recorder(meters).build();
    KvCache again = KvCache.open(caches.prefillEngine, "prefill", options);
    again.prefill(MODEL, MeteredCaches.memory(caches.prefillEngine));
    await()
        .atMost(PATIENCE)
        .until(() -> registry.find("reactive.transfer.kv.requests.waiting").gauge() != null);
    assertThat(sum(registry, "kv.requests")).isZero();
    assertThat(sum(registry, "kv.orders")).isEqualTo(1);
    MeteredEngines.close(caches.decodeEngine);
    MeteredEngines.close(caches.prefillEngine);
    again.closed().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  /** On one engine, one after the other, before the meters of the first have gone. */
  @Test
  void oneThatIsOpenedAnewAtOnceIsShown() {
    KvMeters meters = KvMeters.of(registry).build();
    MeteredCaches caches = new MeteredCaches(engines, meters);
    for (int i = 0; i < 20; i++) {
      meters.closed(caches.decodeCache);
      meters.opened(caches.decodeCache);
      meters.decodeOpened(caches.decode);
    }
    caches.handOver();
    until(1, registry, "kv.orders", "engine", tag(caches.decodeEngine));
    until(1, registry, "kv.requests");
  }

  @Test
  void manyModelsMakeNoMoreMetersThanTheLimit() {
    MeteredCaches caches = new MeteredCaches(engines, KvMeters.of(registry).maxModels(3).build());
    IntStream.range(0, 50)
        .forEach(i ->
            caches.decodeCache.decode("model " + i, MeteredCaches.memory(caches.decodeEngine)));
    await()
        .atMost(PATIENCE)
        .until(() -> registry.find("reactive.transfer.kv.orders.active").gauges().size() == 4);
    assertThat(registry.find("reactive.transfer.kv.orders.active").gauges())
        .extracting(each -> each.getId().getTag("model"))
        .contains(MODEL, "other");
  }

  @Test
  void whatARegistryThrowsBreaksNoHandOver() {
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public MeterFilterReply accept(Meter.Id id) {
                throw new AssertionError("thrown by a test");
              }
            });
    MeteredCaches caches = open();
    caches.handOver();
    MeteredEngines.close(caches.decodeEngine);
    caches.decodeCache.closed().block(PATIENCE);
    assertThat(registry.getMeters()).isEmpty();
  }
}
