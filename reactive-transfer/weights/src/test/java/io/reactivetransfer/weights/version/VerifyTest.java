package io.reactivetransfer.weights.version;

import static io.reactivetransfer.weights.version.Cluster.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.HostMemory;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What a rank looks at before it says that it has an update. */
@Timeout(120)
class VerifyTest {

  private final AtomicReference<Function<FilledBuffer, Publisher<?>>> verifier =
      new AtomicReference<>(filled -> Mono.empty());

  private Cluster cluster() {
    Cluster cluster = new Cluster("loopback", 2, 2);
    cluster.addRank("looks", filled -> verifier.get().apply(filled));
    return cluster;
  }

  private static void requireServe(Cluster cluster, int version) {
    for (WeightsRank rank : cluster.ranks) {
      try (VersionLease lease = rank.lease()) {
        assertThat(lease.version()).isEqualTo(version);
        assertThat(Cluster.read(lease)).isEqualTo(version);
      }
    }
  }

  @Test
  void allHasComeWhenItLooksAndNobodyFlipsBeforeItHasLooked() throws Exception {
    AtomicReference<FilledBuffer> seen = new AtomicReference<>();
    CountDownLatch looking = new CountDownLatch(1);
    Sinks.Empty<Void> right = Sinks.empty();
    try (Cluster cluster = cluster()) {
      verifier.set(filled -> {
        seen.set(filled);
        looking.countDown();
        return right.asMono();
      });
      CompletableFuture<UpdateResult> update =
          cluster.update(5, UpdateMode.TWO_BUFFERS_OUTLIVE).toFuture();
      assertThat(looking.await(20, TimeUnit.SECONDS)).isTrue();
      FilledBuffer filled = seen.get();
      assertThat(filled.rank()).isEqualTo("looks");
      assertThat(filled.version()).isEqualTo(5);
      assertThat(filled.arrivals()).isEqualTo(Cluster.CHUNKS);
      byte[] bytes =
          ((HostMemory) filled.regions().getFirst()).segment().toArray(ValueLayout.JAVA_BYTE);
      for (byte one : bytes) {
        assertThat(one).isEqualTo((byte) 5);
      }
      requireServe(cluster, 0);
      right.tryEmitEmpty();
      UpdateResult result = update.get(20, TimeUnit.SECONDS);
      assertThat(result.isFlipped()).isTrue();
      assertThat(filled.update()).isEqualTo(result.update());
      requireServe(cluster, 5);
    }
  }

  /** Reactor throws such errors through all operators, past those who wait for a signal. */
  private static Error fatal() {
    return new NoClassDefFoundError("it is not what was sent");
  }

  @Test
  void whatItFindsEndsTheUpdateForAllAndIsTheReason() {
    List<Function<FilledBuffer, Publisher<?>>> findings =
        List.of(
            filled -> Mono.error(new IllegalStateException("it is not what was sent")),
            filled -> {
              throw new IllegalStateException("it is not what was sent");
            },
            filled -> Mono.error(fatal()),
            filled -> {
              throw fatal();
            },
            filled ->
                Mono.fromRunnable(() -> {
                  throw fatal();
                }),
            filled ->
                Flux.generate(sink -> {
                  throw fatal();
                }));
    try (Cluster cluster = cluster()) {
      int version = 1;
      for (Function<FilledBuffer, Publisher<?>> finding : findings) {
        verifier.set(finding);
        UpdateResult result = await(cluster.update(version, UpdateMode.TWO_BUFFERS_OUTLIVE));
        assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
        assertThat(result.reason()).contains("looks").contains("it is not what was sent");
        assertThat(result.ranks().values()).allMatch(rank -> rank.end() == RankOutcome.End.KEPT);
        requireServe(cluster, version - 1);
        verifier.set(filled -> Mono.empty());
        assertThat(await(cluster.update(version, UpdateMode.TWO_BUFFERS_OUTLIVE)).isFlipped())
            .isTrue();
        requireServe(cluster, version++);
      }
    }
  }

  @Test
  void inPlaceARankThatFindsSomethingIsTornUntilTheNextUpdate() {
    try (Cluster cluster = cluster()) {
      verifier.set(filled -> Mono.error(new IllegalStateException("it is not what was sent")));
      UpdateResult result = await(cluster.update(3, UpdateMode.IN_PLACE));
      assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
      assertThat(result.ranks().get("looks").end()).isEqualTo(RankOutcome.End.TORN);
      assertThat(result.ranks().get("looks").text()).contains("it is not what was sent");
      verifier.set(filled -> Mono.empty());
      assertThat(await(cluster.update(4, UpdateMode.IN_PLACE)).isFlipped()).isTrue();
      requireServe(cluster, 4);
    }
  }

  @Test
  void itIsCancelledWhenTheUpdateIsGivenUpAndTheBufferIsUsedAgain() throws Exception {
    CountDownLatch cancelled = new CountDownLatch(1);
    try (Cluster cluster = cluster()) {
      verifier.set(filled -> Mono.never().doOnCancel(cancelled::countDown));
      WeightsUpdate order = cluster.order(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
      UpdateResult result =
          await(
              cluster.controller.update(
                  new WeightsUpdate(1, order.mode(), order.arrivals(), Duration.ofSeconds(10)),
                  cluster.members(),
                  cluster.trainers));
      assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
      assertThat(cancelled.await(20, TimeUnit.SECONDS)).isTrue();
      verifier.set(filled -> Mono.empty());
      assertThat(await(cluster.update(2, UpdateMode.TWO_BUFFERS_WAIT)).isFlipped()).isTrue();
      requireServe(cluster, 2);
    }
  }

  @Test
  void aRankThatIsClosedLooksNoLonger() throws Exception {
    CountDownLatch looking = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    try (Cluster cluster = cluster()) {
      verifier.set(filled ->
          Mono.never()
              .doOnSubscribe(subscription -> looking.countDown())
              .doOnCancel(cancelled::countDown));
      CompletableFuture<UpdateResult> update =
          cluster.update(1, UpdateMode.TWO_BUFFERS_OUTLIVE).toFuture();
      assertThat(looking.await(20, TimeUnit.SECONDS)).isTrue();
      cluster.ranks.getLast().close().block(Cluster.PATIENCE);
      assertThat(cancelled.await(20, TimeUnit.SECONDS)).isTrue();
      update.cancel(true);
    }
  }

  @Test
  void aRankIsClosedThoughItsLookCannotBeCancelled() throws Exception {
    CountDownLatch looking = new CountDownLatch(1);
    try (Cluster cluster = cluster()) {
      verifier.set(filled ->
          Flux.create(sink -> {
            sink.onCancel(() -> {
              throw new IllegalStateException("it cannot be cancelled");
            });
            looking.countDown();
          }));
      CompletableFuture<UpdateResult> update =
          cluster.update(1, UpdateMode.TWO_BUFFERS_OUTLIVE).toFuture();
      assertThat(looking.await(20, TimeUnit.SECONDS)).isTrue();
      cluster.ranks.getLast().close().block(Cluster.PATIENCE);
      update.cancel(true);
    }
  }
}
