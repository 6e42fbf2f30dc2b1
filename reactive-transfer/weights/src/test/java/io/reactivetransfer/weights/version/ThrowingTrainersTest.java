package io.reactivetransfer.weights.version;

import static io.reactivetransfer.weights.version.Cluster.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** Trainers that throw where they must not: an update is decided once, and ends. */
@Timeout(60)
class ThrowingTrainersTest {

  @Test
  void whatIsAbortedIsNeverCommitted() {
    MachineRig rig = new MachineRig();
    List<Command> commits = new ArrayList<>();
    List<Command> holds = new ArrayList<>();
    rig.unheard =
        (rank, command) -> {
          if (command instanceof Command.Commit) {
            commits.add(command);
          }
          return rank.equals("rank-2") && command instanceof Command.Hold && holds.add(command);
        };
    rig.update("rank-0", "rank-1", "rank-2");
    rig.stopping =
        () -> {
          throw new IllegalStateException("it cannot be cancelled");
        };
    assertThatThrownBy(() -> rig.controller.cancel("it was cancelled"))
        .hasMessage("it cannot be cancelled");
    // The question for its vote was on the way, and the last rank votes before it hears the end.
    rig.ranks.get("rank-2").receive(holds.getFirst(), "controller");
    rig.run();
    rig.controller.tick();
    rig.run();
    assertThat(commits).isEmpty();
    assertThat(rig.results)
        .singleElement()
        .matches(result -> result.decision() == UpdateResult.Decision.ABORTED);
  }

  @Test
  void oneThatCannotSayItsName() {
    WeightsTrainer nameless =
        new WeightsTrainer() {
          @Override
          public Publisher<?> write(WriteOrder order) {
            return Mono.never();
          }

          @Override
          public String name() {
            throw new IllegalStateException("it has no name");
          }
        };
    try (Cluster cluster = new Cluster("loopback", 2, 0)) {
      WeightsUpdate order = cluster.order(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
      UpdateResult result =
          await(
              cluster.controller.update(
                  new WeightsUpdate(1, order.mode(), order.arrivals(), Duration.ofSeconds(10)),
                  cluster.members(),
                  List.of(nameless)));
      assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
      assertThat(result.reason()).contains("a trainer");
    }
  }

  /** Reactor throws such errors through all operators, past those who wait for a signal. */
  private static Error fatal() {
    return new NoClassDefFoundError("org/example/Kernel");
  }

  @Test
  void whatReactorHoldsToBeFatalAbortsAtOnceAndIsTheReason() {
    List<WeightsTrainer> failing =
        List.of(
            order -> {
              throw fatal();
            },
            order -> Mono.error(fatal()),
            order ->
                Mono.fromRunnable(() -> {
                  throw fatal();
                }));
    try (Cluster cluster = new Cluster("loopback", 1, 0)) {
      for (WeightsTrainer trainer : failing) {
        UpdateResult result =
            await(
                cluster.controller.update(
                    cluster.order(1, UpdateMode.TWO_BUFFERS_OUTLIVE),
                    cluster.members(),
                    List.of(trainer)));
        assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
        assertThat(result.reason())
            .isEqualTo("a trainer has failed: java.lang.NoClassDefFoundError: org/example/Kernel");
      }
    }
  }
}
