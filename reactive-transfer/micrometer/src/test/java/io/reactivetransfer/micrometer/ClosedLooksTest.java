package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static io.reactivetransfer.micrometer.MeteredEngines.tag;
import static io.reactivetransfer.micrometer.MeteredEngines.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
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

/** What a registry reads of what has closed, before its meters have gone. */
class ClosedLooksTest {

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  private final MeterRegistry registry = new SimpleMeterRegistry();

  private Gauge gauge(String name, TransferEngine engine) {
    return registry.get("reactive.transfer." + name).tag("engine", tag(engine)).gauge();
  }

  /** What was forgotten meanwhile is no number. */
  @Test
  void aRankHasTheVersionThatItHad() {
    TransferEngine engine = engines.open(EngineRecorder.NONE);
    WeightsMeters meters = WeightsMeters.of(registry).build();
    WeightsRank rank =
        WeightsRank.on(engine, "rank")
            .buffer(WeightsBuffer.of(Arena.ofAuto().allocate(64, 64)))
            .version(7)
            .recorder(meters)
            .open()
            .block(PATIENCE);
    until(7, registry, "weights.version");
    Gauge version = gauge("weights.version", engine);
    meters.closed(rank);
    assertThat(version.value()).isIn(7.0, Double.NaN);
  }

  @Test
  void aGroupThatHasFailedIsNotUpAgain() {
    MoeMeters meters = MoeMeters.of(registry).build();
    MeteredExperts experts = new MeteredExperts(engines, meters);
    until(2, registry, "moe.up");
    MoeStep step = experts.begin(0, 0);
    step.dispatchSend(MemorySegment.ofArray(new byte[0])).subscribe(null, failure -> {});
    step.giveUp("a test wants it");
    until(0, registry, "moe.up");
    Gauge up = gauge("moe.up", experts.engines.getFirst());
    meters.closed(experts.groups.getFirst());
    assertThat(up.value()).isIn(0.0, Double.NaN);
  }
}
