package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What experts may emit before they have ended, and what they may throw. */
class ExpertsTest {

  private static final int RANKS = 2;

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(RANKS, 4), 2, 4, 16, 4).build();

  /** None of these tests may have to wait for it. */
  private static final MoeOptions OPTIONS =
      MoeOptions.builder().deadline(Cluster.PATIENCE.multipliedBy(2)).build();

  private final Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(3), SHAPE);

  private Mono<Void> run(Rig rig, int rank, Function<ExpertBatch, Publisher<?>> experts) {
    return Mono.defer(() -> {
      var sums = rig.sums(rank, tokens);
      return rig.begin(rank, 0, tokens)
          .run(tokens.payload[rank], experts, sums)
          .doOnSuccess(done -> rig.requireExact(rank, tokens, sums));
    });
  }

  /** Begins the step there, which the other rank ends, and remembers why it has failed. */
  private Mono<Throwable> failureOfRankZero(Rig rig) {
    Mono<Throwable> failure =
        run(rig, 0, batch -> Mono.fromRunnable(() -> Model.compute(SHAPE, batch)))
            .<Throwable>cast(Throwable.class)
            .onErrorResume(Mono::just)
            .cache();
    failure.subscribe();
    return failure;
  }

  @Test
  void theirEndIsWaitedForHoweverManyElementsTheyEmit() {
    try (Cluster cluster = Cluster.loopback(RANKS);
        Rig rig = new Rig(cluster, SHAPE, OPTIONS)) {
      List<Mono<Void>> steps = new ArrayList<>();
      for (int rank = 0; rank < RANKS; rank++) {
        steps.add(
            run(
                rig,
                rank,
                batch ->
                    Flux.range(0, 3)
                        .concatWith(Mono.fromRunnable(() -> Model.compute(SHAPE, batch)))));
      }
      Mono.when(steps).block(Cluster.PATIENCE);
    }
  }

  /** Where experts throw. */
  enum Thrown {
    BY_THE_FUNCTION,
    BY_THE_PUBLISHER
  }

  @ParameterizedTest
  @EnumSource
  void whatReactorHoldsToBeFatalEndsTheStepOnAllRanksToo(Thrown where) {
    NoClassDefFoundError thrown = new NoClassDefFoundError("kernel");
    try (Cluster cluster = Cluster.loopback(RANKS);
        Rig rig = new Rig(cluster, SHAPE, OPTIONS)) {
      Mono<Throwable> waiting = failureOfRankZero(rig);
      Mono<Throwable> failing =
          run(
                  rig,
                  1,
                  batch -> {
                    if (where == Thrown.BY_THE_FUNCTION) {
                      throw thrown;
                    }
                    return Mono.fromRunnable(() -> {
                      throw thrown;
                    });
                  })
              .<Throwable>cast(Throwable.class)
              .onErrorResume(Mono::just);
      assertThat(Cluster.await(failing))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("kernel")
          .hasCause(thrown);
      assertThat(Cluster.await(waiting))
          .isInstanceOf(GroupFailedException.class)
          .hasMessageContaining("kernel");
    }
  }

  /** What it would say is told to all others, and what it says is its own. */
  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
      throw new IllegalStateException("thrown by toString()");
    }
  }

  @Test
  void aFailureThatCannotSayWhatItIsEndsTheStepOnAllRanksToo() {
    Unspeakable failure = new Unspeakable();
    try (Cluster cluster = Cluster.loopback(RANKS);
        Rig rig = new Rig(cluster, SHAPE, OPTIONS)) {
      Mono<Throwable> waiting = failureOfRankZero(rig);
      Mono<Throwable> failing =
          run(rig, 1, batch -> Mono.error(failure))
              .<Throwable>cast(Throwable.class)
              .onErrorResume(Mono::just);
      assertThat(Cluster.await(failing)).isSameAs(failure);
      assertThat(Cluster.await(waiting))
          .isInstanceOf(GroupFailedException.class)
          .hasMessageContaining("Unspeakable whose toString() throws");
    }
  }

  /** Nobody has the batch then, and so nobody goes on with it. */
  @Test
  void aBatchThatIsThereAndWasNotAskedForIsGivenUpWithItsSubscription() {
    try (Cluster cluster = Cluster.loopback(RANKS);
        Rig rig = new Rig(cluster, SHAPE, OPTIONS)) {
      Mono<Throwable> waiting = failureOfRankZero(rig);
      MoeStep step = rig.begin(1, 0, tokens);
      step.dispatchSend(tokens.payload[1]).onErrorComplete().subscribe();
      StepHalf<?> batch = (StepHalf<?>) (Publisher<?>) step.dispatchReceive();
      BaseSubscriber<Object> mute =
          new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {}
          };
      batch.subscribe(mute);
      var ignored =
          Mono.delay(Duration.ofMillis(1))
              .repeat()
              .takeUntil(_ -> batch.half.hasSucceeded())
              .blockLast(Cluster.PATIENCE);
      mute.cancel();
      assertThat(Cluster.await(waiting))
          .isInstanceOfSatisfying(
              GroupFailedException.class, why -> assertThat(why.rank()).hasValue(1))
          .hasMessageContaining("cancelled");
    }
  }

  /** Else those that a rank waits for while it closes would wait in vain for each other. */
  @Test
  void aCloseThatIsCancelledGoesOnHearingWhatOthersSay() {
    MoeOptions options =
        MoeOptions.builder().closeTimeout(Cluster.PATIENCE.multipliedBy(2)).build();
    try (Cluster cluster = Cluster.loopback(RANKS);
        Rig rig = new Rig(cluster, SHAPE, options)) {
      assertThat(rig.groups).noneMatch(MoeGroup::isOver);
      cluster.nodes.get(0).close().subscribe().dispose();
      cluster.nodes.get(1).close().block(Duration.ofSeconds(20));
      cluster.nodes.get(0).close().block(Duration.ofSeconds(20));
    }
  }
}
