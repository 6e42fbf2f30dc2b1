package io.reactivetransfer.weights.version;

import static io.reactivetransfer.weights.version.Cluster.PATIENCE;
import static io.reactivetransfer.weights.version.Cluster.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What a recorder is told of updates, behind one that throws whatever it is told. */
class RecorderTest {

  private static final List<String> NAMES =
      List.of("opened", "closed", "updateBegun", "updateEnded", "decided");

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final List<VersionRecorder.UpdateEnd> ends = new CopyOnWriteArrayList<>();
  private final List<UpdateResult> results = new CopyOnWriteArrayList<>();
  private final AtomicInteger thrown = new AtomicInteger();

  private final VersionRecorder careless =
      new VersionRecorder() {
        private void fail() {
          thrown.incrementAndGet();
          throw new Unspeakable();
        }

        @Override
        public void opened(WeightsRank rank) {
          fail();
        }

        @Override
        public void closed(WeightsRank rank) {
          fail();
        }

        @Override
        public void updateBegun(WeightsRank rank) {
          fail();
        }

        @Override
        public void updateEnded(WeightsRank rank, UpdateEnd end) {
          fail();
        }

        @Override
        public void opened(WeightsController controller) {
          fail();
        }

        @Override
        public void closed(WeightsController controller) {
          fail();
        }

        @Override
        public void decided(WeightsController controller, UpdateResult result, Duration duration) {
          fail();
        }
      };

  private final VersionRecorder teller =
      new VersionRecorder() {
        @Override
        public void opened(WeightsRank rank) {
          told.add("rank opened");
        }

        @Override
        public void closed(WeightsRank rank) {
          told.add("rank closed");
        }

        @Override
        public void updateBegun(WeightsRank rank) {
          told.add("update begun");
        }

        @Override
        public void updateEnded(WeightsRank rank, UpdateEnd end) {
          ends.add(end);
          told.add("update ended");
        }

        @Override
        public void opened(WeightsController controller) {
          told.add("controller opened");
        }

        @Override
        public void closed(WeightsController controller) {
          told.add("controller closed");
        }

        @Override
        public void decided(WeightsController controller, UpdateResult result, Duration duration) {
          assertThat(duration).isPositive();
          results.add(result);
          told.add("decided");
        }
      };

  private final Cluster cluster = new Cluster("loopback", 0, 1);
  private final Arena arena = Arena.ofAuto();
  private final WeightsRank rank = open();

  private WeightsRank open() {
    TransferEngine engine = cluster.engine();
    WeightsRank rank =
        await(
            WeightsRank.on(engine, "rank-0")
                .buffer(WeightsBuffer.of(arena.allocate(Cluster.BYTES, 64)))
                .buffer(WeightsBuffer.of(arena.allocate(Cluster.BYTES, 64)))
                .version(0)
                .recorder(careless.andThen(teller))
                .open());
    cluster.ranks.add(rank);
    cluster.rankEngines.add(engine);
    return rank;
  }

  private WeightsController controller() {
    return WeightsController.open(
        cluster.engine(), Schedulers.parallel(), careless.andThen(teller));
  }

  private Mono<UpdateResult> update(WeightsController controller, int version, UpdateMode mode) {
    return controller.update(
        cluster.order(version, mode), cluster.members(controller.engine()), cluster.trainers);
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void untilEnded(int updates) {
    await().atMost(PATIENCE).until(() -> ends.size() == updates);
  }

  @Test
  void updatesAreToldFromTheirBeginningToTheirEnd() {
    WeightsController controller = controller();
    assertThat(await(update(controller, 1, UpdateMode.TWO_BUFFERS_WAIT)).isFlipped()).isTrue();
    untilEnded(1);
    assertThat(await(update(controller, 2, UpdateMode.IN_PLACE)).isFlipped()).isTrue();
    untilEnded(2);
    controller.close();
    await(rank.close().thenReturn(true));
    assertThat(told)
        .containsSubsequence(
            "rank opened", "update begun", "update ended", "update begun", "update ended")
        .containsSubsequence("controller opened", "decided", "decided", "controller closed")
        .endsWith("rank closed")
        .hasSize(10);
    assertThat(thrown).hasValue(told.size());
    assertThat(results).allMatch(UpdateResult::isFlipped).hasSize(2);
    assertThat(ends).extracting(each -> each.update()).isEqualTo(updates());
    assertThat(ends)
        .allSatisfy(end -> {
          assertThat(end.isFlipped()).isTrue();
          assertThat(end.reason()).isEmpty();
          assertThat(end.filling()).isPositive().isLessThan(end.duration());
          assertThat(end.pause()).isPositive();
        });
    // Beside what is served a version is written while leases are given; in place none is.
    assertThat(ends.get(0).pause().plus(ends.get(0).filling())).isLessThan(ends.get(0).duration());
    assertThat(ends.get(1).pause()).isGreaterThan(ends.get(1).filling());
  }

  private List<UpdateNumber> updates() {
    return results.stream().map(UpdateResult::update).toList();
  }

  @Test
  void leasesThatAreWaitedForArePartOfThePause() throws Exception {
    WeightsController controller = controller();
    VersionLease lease = rank.lease();
    CompletableFuture<UpdateResult> result =
        update(controller, 1, UpdateMode.TWO_BUFFERS_WAIT).toFuture();
    await(rank.statuses().filter(now -> now.state() == RankState.PAUSED).next());
    assertThat(ends).isEmpty();
    lease.close();
    assertThat(await(Mono.fromFuture(result)).isFlipped()).isTrue();
    untilEnded(1);
    assertThat(ends.getFirst().pause()).isPositive();
  }

  @Test
  void whatIsDroppedIsToldWithItsReason() {
    WeightsController controller = controller();
    cluster.trainers.getFirst().chunksUntilFailure = 3;
    UpdateResult result = await(update(controller, 1, UpdateMode.IN_PLACE));
    assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
    untilEnded(1);
    assertThat(ends.getFirst().isFlipped()).isFalse();
    assertThat(ends.getFirst().reason()).contains("out of memory");
    assertThat(ends.getFirst().filling()).isNull();
    assertThat(ends.getFirst().pause()).isPositive();
    assertThat(rank.status().state()).isEqualTo(RankState.TORN);
    cluster.trainers.getFirst().chunksUntilFailure = -1;
    assertThat(await(update(controller, 2, UpdateMode.TWO_BUFFERS_WAIT)).isFlipped()).isTrue();
    untilEnded(2);
    assertThat(ends.get(1).pause()).isZero(); // there was no version to give leases of
  }

  @Test
  void aRankThatIsClosedEndsItsUpdate() {
    WeightsController controller = controller();
    VersionLease lease = rank.lease();
    update(controller, 1, UpdateMode.TWO_BUFFERS_WAIT).subscribe(done -> {}, failed -> {});
    await(rank.statuses().filter(now -> now.state() == RankState.PAUSED).next());
    await(rank.close().thenReturn(true));
    assertThat(ends).singleElement().matches(end -> !end.isFlipped());
    assertThat(told).containsSubsequence("update begun", "update ended", "rank closed");
    lease.close();
  }

  @Test
  void aRecoveryIsADecision() {
    WeightsController controller = controller();
    await(controller.recover(cluster.members(controller.engine()), PATIENCE));
    assertThat(results)
        .singleElement()
        .matches(result -> result.decision() == UpdateResult.Decision.RECOVERED);
    assertThat(ends).isEmpty();
  }

  @Test
  void everythingIsHandedOnToBothOfAChain() {
    assertThat(VersionRecorder.NONE.andThen(teller)).isSameAs(teller);
    assertThat(teller.andThen(VersionRecorder.NONE).andThen(teller)).isSameAs(teller);
    List<Method> heard = new CopyOnWriteArrayList<>();
    VersionRecorder next =
        (VersionRecorder)
            Proxy.newProxyInstance(
                RecorderTest.class.getClassLoader(),
                new Class<?>[] {VersionRecorder.class},
                (proxy, method, arguments) -> {
                  heard.add(method);
                  return null;
                });
    VersionRecorder chain = careless.andThen(next);
    thrown.set(0);
    int calls = 0;
    for (Method method : VersionRecorder.class.getDeclaredMethods()) {
      if (!Modifier.isStatic(method.getModifiers()) && NAMES.contains(method.getName())) {
        calls++;
        assertThatThrownBy(() -> method.invoke(chain, new Object[method.getParameterCount()]))
            .hasCauseInstanceOf(NoClassDefFoundError.class);
        assertThat(thrown).hasValue(calls);
        assertThat(heard).hasSize(calls).last().isEqualTo(method);
      }
    }
    assertThat(calls).isEqualTo(7);
  }

  /** Cannot even be logged. */
  @SuppressWarnings("serial") // nobody writes it down
  private static final class Unspeakable extends NoClassDefFoundError {

    @Override
    public String getMessage() {
      throw new IllegalStateException("thrown by a test, too");
    }
  }
}
