package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static io.reactivetransfer.micrometer.MeteredEngines.sum;
import static io.reactivetransfer.micrometer.MeteredEngines.tag;
import static io.reactivetransfer.micrometer.MeteredEngines.until;
import static io.reactivetransfer.micrometer.MeteredWeights.BYTES;
import static io.reactivetransfer.micrometer.MeteredWeights.RANK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsRank;
import java.lang.foreign.Arena;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a registry says of weights, beside the updates that were done. */
class WeightsMetersTest {

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  private final MeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void figuresAreWhatUpdatesWrote() {
    MeteredWeights weights =
        new MeteredWeights(
            engines, WeightsMeters.of(registry).tags(Tags.of("role", "test")).build());
    until(1, registry, "weights.serving", "rank", RANK);
    assertThat(weights.update(7).isFlipped()).isTrue();
    assertThat(weights.update(8).isFlipped()).isTrue();
    String[] ofRank = {
      "engine", tag(weights.rankEngine), "backend", "loopback", "role", "test", "rank", RANK
    };
    String[] ofTrainer = {"engine", tag(weights.trainerEngine), "rank", "trainer-0"};
    until(2, registry, "weights.updates", ofRank);
    assertThat(sum(registry, "weights.updates", "outcome", "flipped")).isEqualTo(2);
    assertThat(sum(registry, "weights.updates.filling", ofRank)).isEqualTo(2);
    assertThat(sum(registry, "weights.updates.pause", ofRank)).isEqualTo(2);
    assertThat(sum(registry, "weights.updates.active", ofRank)).isZero();
    assertThat(sum(registry, "weights.flipped", ofRank)).isEqualTo(2 * BYTES);
    assertThat(sum(registry, "weights.version", ofRank)).isEqualTo(8);
    assertThat(sum(registry, "weights.serving", ofRank)).isEqualTo(1);
    assertThat(sum(registry, "weights.leases", ofRank)).isZero();
    try (VersionLease lease = weights.rank.lease()) {
      assertThat(sum(registry, "weights.leases", ofRank)).as("%s", lease).isEqualTo(1);
    }
    assertThat(sum(registry, "weights.leases", ofRank)).isZero();
    until(2, registry, "weights.runs", ofTrainer);
    assertThat(sum(registry, "weights.runs", "outcome", "done")).isEqualTo(2);
    assertThat(sum(registry, "weights.runs.active", ofTrainer)).isZero();
    assertThat(sum(registry, "weights.written", ofTrainer)).isEqualTo(2 * BYTES);
    assertThat(sum(registry, "weights.staged", ofTrainer)).isEqualTo(2 * BYTES);
    until(2, registry, "weights.decisions", "engine", tag(weights.trainerEngine));
    assertThat(sum(registry, "weights.decisions", "outcome", "flipped")).isEqualTo(2);
    assertThat(sum(registry, "weights.unconfirmed")).isZero();
    weights.close();
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  @Test
  void whatIsDroppedIsCountedSo() {
    MeteredWeights weights = new MeteredWeights(engines, WeightsMeters.of(registry).build());
    weights.failure = new IllegalStateException("out of memory");
    assertThat(weights.update(7).isFlipped()).isFalse();
    until(1, registry, "weights.updates", "outcome", "dropped");
    until(1, registry, "weights.decisions", "outcome", "aborted");
    assertThat(sum(registry, "weights.updates.filling")).isZero();
    assertThat(sum(registry, "weights.flipped")).isZero();
    assertThat(sum(registry, "weights.runs")).isZero();
    assertThat(sum(registry, "weights.version")).isZero();
    weights.close();
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  @Test
  void theEndOfAnEngineEndsTheMetersOfItsRank() {
    MeteredWeights weights = new MeteredWeights(engines, WeightsMeters.of(registry).build());
    until(1, registry, "weights.serving");
    MeteredEngines.close(weights.rankEngine);
    await()
        .atMost(PATIENCE)
        .until(() -> registry.find("reactive.transfer.weights.serving").gauge() == null);
    weights.close();
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  @Test
  void whatNobodyClosesGoesWithItsEngine() {
    MeteredWeights weights = new MeteredWeights(engines, WeightsMeters.of(registry).build());
    until(1, registry, "weights.serving");
    await()
        .atMost(PATIENCE)
        .until(() -> registry.find("reactive.transfer.weights.runs.active").gauge() != null);
    MeteredEngines.close(weights.trainerEngine);
    MeteredEngines.close(weights.rankEngine);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  private WeightsRank serving(WeightsMeters meters, TransferEngine engine, String name) {
    return WeightsRank.on(engine, name)
        .buffer(WeightsBuffer.of(Arena.ofAuto().allocate(BYTES, 64)))
        .version(7)
        .recorder(meters)
        .open()
        .block(PATIENCE);
  }

  /** An engine has one after the other. */
  @Test
  void manyRanksMakeNoMoreMetersThanTheLimit() {
    WeightsMeters meters = WeightsMeters.of(registry).maxRanks(2).build();
    TransferEngine engine = engines.open(EngineRecorder.NONE);
    Set<String> names = new TreeSet<>();
    for (String each : new String[] {"a", "b", "c", "d", "a"}) {
      WeightsRank rank = serving(meters, engine, each);
      String shown = each.compareTo("b") <= 0 ? each : "other";
      until(7, registry, "weights.version", "rank", shown);
      registry
          .find("reactive.transfer.weights.serving")
          .gauges()
          .forEach(gauge -> names.add(gauge.getId().getTag("rank")));
      rank.close().block(PATIENCE);
      until(0, registry, "weights.version", "rank", shown);
    }
    assertThat(names).containsExactly("a", "b", "other");
    WeightsRank elsewhere = serving(meters, engines.open(EngineRecorder.NONE), "e");
    until(7, registry, "weights.version", "rank", "e"); // each engine has names of its own
    elsewhere.close().block(PATIENCE);
    MeteredEngines.close(engine);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  @Test
  void beyondTheLimitUpdatesAreCountedAllTheSame() {
    MeteredWeights weights =
        new MeteredWeights(engines, WeightsMeters.of(registry).maxRanks(0).build());
    assertThat(weights.update(7).isFlipped()).isTrue();
    until(1, registry, "weights.runs", "rank", "other", "outcome", "done");
    until(1, registry, "weights.updates", "rank", "other", "outcome", "flipped");
    assertThat(sum(registry, "weights.runs")).isEqualTo(1);
    weights.close();
    MeteredEngines.close(weights.trainerEngine);
    MeteredEngines.close(weights.rankEngine);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  @Test
  void whatARegistryThrowsBreaksNoUpdate() {
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public MeterFilterReply accept(Meter.Id id) {
                throw new AssertionError("thrown by a test");
              }
            });
    MeteredWeights weights = new MeteredWeights(engines, WeightsMeters.of(registry).build());
    assertThat(weights.update(7).isFlipped()).isTrue();
    weights.close();
    assertThat(registry.getMeters()).isEmpty();
  }
}
