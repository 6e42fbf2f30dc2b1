package io.reactivetransfer.weights.version;

import static io.reactivetransfer.weights.version.Cluster.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.check.Checksums;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Whoever wants no deadline names the longest one there is: the rest works as ever. */
@Timeout(60)
class LongDeadlinesTest {

  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  @Test
  void aRankThatIsLostEndsAnUpdate() {
    try (Cluster cluster = new Cluster("loopback", 2, 1)) {
      List<RankMember> members = cluster.members();
      WeightsUpdate order = cluster.order(1, UpdateMode.IN_PLACE);
      await(cluster.rankEngines.get(1).close());
      UpdateResult result =
          await(
              cluster.controller.update(
                  new WeightsUpdate(1, order.mode(), order.arrivals(), FOREVER),
                  members,
                  cluster.trainers));
      assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
      assertThat(result.reason()).contains("rank-1");
    }
  }

  @Test
  void checksumsAreWaitedFor() {
    TransferEngine engine = await(TransferEngineBuilder.create().backend("loopback").open());
    ScheduledThreadPoolExecutor due = new ScheduledThreadPoolExecutor(1);
    Scheduler timers = Schedulers.fromExecutorService(due);
    Checksums checksums = Checksums.open(engine, FOREVER, timers, Schedulers.immediate());
    FilledBuffer filled = new FilledBuffer("one", UpdateNumber.NONE, 1, 1, List.of());
    Disposable waiting = checksums.apply(filled).subscribe();
    assertThat(due.getQueue()).hasSize(1);
    waiting.dispose();
    checksums.close();
    await(engine.close());
    timers.dispose();
    due.shutdownNow();
  }
}
