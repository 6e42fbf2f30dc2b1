package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.VersionRecorder.UpdateBegin;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsRank;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Names of ranks are an application's, and a registry of meters has some for each. */
class ManyRanksTest {

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  private record Begin(WeightsRank rank, UpdateNumber update, Peer controller)
      implements UpdateBegin {

    @Override
    public long version() {
      return 1;
    }

    @Override
    public UpdateMode mode() {
      return UpdateMode.TWO_BUFFERS_WAIT;
    }

    @Override
    public TraceContext traceContext() {
      return TraceContext.NONE;
    }
  }

  private static final class Names implements ObservationHandler<Observation.Context> {
    final List<String> heard = new ArrayList<>();

    @Override
    public void onStart(Observation.Context context) {
      heard.add(context.getLowCardinalityKeyValue("rank").getValue());
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }
  }

  private static WeightsRank rank(TransferEngine engine, String name) {
    return WeightsRank.on(engine, name)
        .buffer(WeightsBuffer.of(Arena.ofAuto().allocate(64, 64)))
        .open()
        .block(PATIENCE);
  }

  @Test
  void observationsHaveNoMoreNamesThanTheLimit() {
    Names names = new Names();
    ObservationRegistry registry = ObservationRegistry.create();
    registry.observationConfig().observationHandler(names);
    WeightsObservations observations = WeightsObservations.of(registry);
    TransferEngine engine = engines.open(EngineRecorder.NONE);
    Peer controller = engine.peer(engines.open(EngineRecorder.NONE).address());
    for (int i = 0; i < 70; i++) {
      WeightsRank rank = rank(engine, "rank-" + i);
      observations.updateBegun(new Begin(rank, UpdateNumber.NONE, controller));
      rank.close().block(PATIENCE);
    }
    assertThat(names.heard).contains("rank-0", "rank-63", "other").doesNotContain("rank-64");
    assertThat(names.heard.subList(64, 70)).containsOnly("other");
  }
}
