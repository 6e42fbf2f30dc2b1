package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.weights.version.RankOutcome;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.UpdateResult.Decision;
import io.reactivetransfer.weights.version.VersionRecorder;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** A controller of updates: of all of them, which are counted together, it is told the end. */
final class ShownController extends ShownWeights implements VersionRecorder.ControllerRecorder {

  private final EarlyTimers<Decision> decisions;
  private final LongAdder unconfirmed = new LongAdder();

  ShownController(Meters meters, boolean histogram) {
    super(meters, histogram);
    this.decisions = new EarlyTimers<>(meters, Decision.class);
  }

  @Override
  public void ended(VersionRecorder.ControllerEnd end) {
    UpdateResult result = end.result();
    for (RankOutcome rank : result.ranks().values()) {
      if (rank.end() == RankOutcome.End.UNCONFIRMED) {
        unconfirmed.increment();
      }
    }
    decisions.record(result.decision(), end.duration());
  }

  @Override
  void registerAll() {
    count(
        "weights.unconfirmed",
        null,
        "ranks that did not say what has become of them when an update or a recovery had ended",
        unconfirmed);
    decisions.register(
        List.of(Decision.values()),
        decision ->
            timer(
                "weights.decisions",
                "updates and recoveries at their controller, from the subscription to their end",
                Tags.of("outcome", decision.name().toLowerCase(Locale.ROOT))));
  }
}
