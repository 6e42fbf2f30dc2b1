package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredCaches.MODEL;
import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static io.reactivetransfer.micrometer.MeteredEngines.sum;
import static io.reactivetransfer.micrometer.MeteredEngines.tag;
import static io.reactivetransfer.micrometer.MeteredEngines.until;
import static io.reactivetransfer.micrometer.MeteredExperts.TOKENS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.moe.MoeStep;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsRank;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Recorders of one kind, each an object of its own, that show what they are told in one registry.
 */
class SeveralRecordersTest {

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  private final MeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void failedGroupsOfAllOfThemAreCounted() {
    MeteredExperts experts = new MeteredExperts(engines, MoeMeters.of(registry).build());
    until(2, registry, "moe.up");
    experts.joinAnother("second", MoeMeters.of(registry).build());
    until(4, registry, "moe.up");
    MoeStep step = experts.begin(0, 0);
    step.dispatchSend(MemorySegment.ofArray(new byte[0])).subscribe(null, failure -> {});
    step.giveUp("a test wants it");
    until(1, registry, "moe.groups.failed", "engine", tag(experts.engines.get(0)));
    until(1, registry, "moe.groups.failed", "engine", tag(experts.engines.get(1)));
  }

  @Test
  void groupsOfAllOfThemHaveNoMoreNamesThanTheLimit() {
    MeteredExperts experts =
        new MeteredExperts(engines, MoeMeters.of(registry).maxGroups(1).build());
    experts.joinAnother("second", MoeMeters.of(registry).maxGroups(1).build());
    experts.step(TOKENS);
    experts.joinAnother("third", MoeMeters.of(registry).maxGroups(1).build());
    experts.step(TOKENS);
    until(2 * 2, registry, "moe.steps", "group", "other", "outcome", "done");
    assertThat(registry.find("reactive.transfer.moe.up").gauges()).hasSize(2 * 2);
    experts.engines.forEach(MeteredEngines::close);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  @Test
  void whatSeveralAreToldOfIsCountedOnce() {
    MeteredExperts experts =
        new MeteredExperts(
            engines,
            MoeMeters.of(registry)
                .maxGroups(0)
                .build()
                .andThen(MoeMeters.of(registry).maxGroups(0).build()));
    experts.step(TOKENS);
    until(2, registry, "moe.steps", "group", "other", "outcome", "done");
    MoeStep step = experts.begin(0, 0);
    step.dispatchSend(MemorySegment.ofArray(new byte[0])).subscribe(null, failure -> {});
    step.giveUp("a test wants it");
    until(0, registry, "moe.up");
    until(2, registry, "moe.groups.failed");
  }

  private WeightsRank rank(TransferEngine engine, WeightsMeters meters, long version) {
    return WeightsRank.on(engine, "rank")
        .buffer(WeightsBuffer.of(Arena.ofAuto().allocate(64, 64)))
        .version(version)
        .recorder(meters)
        .open()
        .block(PATIENCE);
  }

  @Test
  void aRankThatIsOpenedAgainIsShown() {
    TransferEngine engine = engines.open(EngineRecorder.NONE);
    WeightsMeters first = WeightsMeters.of(registry).build();
    WeightsRank before = rank(engine, first, 7);
    until(7, registry, "weights.version");
    before.close().block(PATIENCE);
    first.opened(before); // as if it were not known yet that it has gone
    until(7, registry, "weights.version");
    WeightsRank after = rank(engine, WeightsMeters.of(registry).build(), 8);
    first.closed(before);
    until(8, registry, "weights.version");
    after.close().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  @Test
  void aCacheThatIsOpenedAgainIsShown() {
    KvMeters first = KvMeters.of(registry).build();
    MeteredCaches caches = new MeteredCaches(engines, first);
    String[] decode = {"engine", tag(caches.decodeEngine)};
    caches.handOver();
    until(1, registry, "kv.orders", decode);
    KvMeters second = KvMeters.of(registry).build();
    second.opened(caches.decodeCache);
    second.decodeOpened(caches.decode);
    first.closed(caches.decodeCache);
    until(0, registry, "kv.orders", decode);
    second.requestRejected(caches.decodeCache);
    until(1, registry, "kv.requests.rejected", decode);
    assertThat(
            registry
                .find("reactive.transfer.kv.orders.active")
                .tags(decode)
                .tag("model", MODEL)
                .gauge())
        .isNotNull();
    assertThat(sum(registry, "kv.orders.active")).isZero();
  }
}
