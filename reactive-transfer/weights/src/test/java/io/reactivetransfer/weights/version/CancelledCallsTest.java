package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Whoever cancels an update or a recovery hears nothing of it any more. */
@Timeout(60)
class CancelledCallsTest {

  private final TransferEngine engine =
      TransferEngineBuilder.create().backend("loopback").open().block(Cluster.PATIENCE);
  private final TransferEngine other =
      TransferEngineBuilder.create().backend("loopback").open().block(Cluster.PATIENCE);
  private final VirtualTimeScheduler timers = VirtualTimeScheduler.create();
  private final WeightsController controller = WeightsController.open(engine, timers);

  /** Nobody is there: the ranks are asked, and none answers. */
  private final List<RankMember> ranks =
      List.of(new RankMember("rank-0", engine.peer(other.address())));

  private final List<Object> heard = new ArrayList<>();

  @AfterEach
  void close() {
    engine.close().then(other.close()).block(Cluster.PATIENCE);
  }

  private Mono<UpdateResult> update() {
    return controller.update(
        new WeightsUpdate(1, UpdateMode.IN_PLACE, Map.of("rank-0", 1L), Duration.ofSeconds(3)),
        ranks,
        List.of(order -> Mono.never()));
  }

  private void requireQuietAfterACancel(Mono<UpdateResult> call) {
    AtomicReference<Subscription> subscription = new AtomicReference<>();
    call.subscribe(
        new CoreSubscriber<>() {
          @Override
          public void onSubscribe(Subscription given) {
            subscription.set(given);
            given.request(1);
          }

          @Override
          public void onNext(UpdateResult result) {
            heard.add(result);
          }

          @Override
          public void onError(Throwable failure) {
            heard.add(failure);
          }

          @Override
          public void onComplete() {
            heard.add("the end");
          }
        });
    subscription.get().cancel();
    timers.advanceTimeBy(Duration.ofMinutes(1));
    assertThat(heard).isEmpty();
  }

  @Test
  void anUpdate() {
    requireQuietAfterACancel(update());
  }

  @Test
  void aRecovery() {
    requireQuietAfterACancel(controller.recover(ranks, Duration.ofSeconds(3)));
  }

  /** Whoever tries again at once learns why that is refused, and until when. */
  @Test
  void whoTriesAgainWhileItStillEndsHearsThatItWasCancelled() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CompletableFuture<UpdateResult> again = new CompletableFuture<>();
    try (Cluster cluster = new Cluster("loopback", 1, 0)) {
      WeightsUpdate order = cluster.order(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
      // As it is cancelled: before the rank is told, so before it can confirm the abort.
      WeightsTrainer trainer =
          given ->
              Mono.never()
                  .doOnSubscribe(subscription -> writing.countDown())
                  .doOnCancel(() ->
                      cluster
                          .controller
                          .recover(cluster.members(), Cluster.PATIENCE)
                          .subscribe(again::complete, again::completeExceptionally));
      CompletableFuture<UpdateResult> update =
          cluster.controller.update(order, cluster.members(), List.of(trainer)).toFuture();
      assertThat(writing.await(40, TimeUnit.SECONDS)).isTrue();
      update.cancel(true);
      assertThat(again)
          .failsWithin(Cluster.PATIENCE)
          .withThrowableThat()
          .withMessageEndingWith(
              "expected a controller that does nothing, got one that runs an update: it was"
                  + " cancelled, and still ends, at most for its deadline once more");
    }
  }
}
