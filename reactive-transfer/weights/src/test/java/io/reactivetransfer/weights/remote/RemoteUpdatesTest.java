package io.reactivetransfer.weights.remote;

import static io.reactivetransfer.weights.remote.Rig.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Imm;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.version.RankState;
import io.reactivetransfer.weights.version.RankStatus;
import io.reactivetransfer.weights.version.RankTarget;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.UpdateResult.Decision;
import io.reactivetransfer.weights.version.WriteOrder;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Trainers elsewhere, inference ranks and a controller, joined. */
@Timeout(240)
class RemoteUpdatesTest {

  private static final int ROUNDS = Integer.getInteger("reactivetransfer.rounds", 1);
  private static final int MODELS =
      Integer.getInteger("reactivetransfer.weights.remote", ROUNDS > 1 ? 2 * ROUNDS : 1);

  private static boolean prepares(RoutingTable table) {
    return table.steps(0).stream().anyMatch(Step.Prepare.class::isInstance);
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void everyByteOfEveryRankIsRightAfterEachFlip(String backend) {
    long seed = Long.getLong("reactivetransfer.weights.seed", System.nanoTime());
    for (int i = 0; i < MODELS; i++) {
      Rig.Case of = Rig.Case.from(seed + i, table -> true);
      try (Rig rig = new Rig(backend, of, RunOptions::builder)) {
        rig.requireFlips(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
        rig.requireFlips(2, UpdateMode.IN_PLACE);
        rig.requireFlips(3, UpdateMode.TWO_BUFFERS_WAIT);
        assertThat(await(rig.remote.progress().next()).sum().isDone()).isTrue();
        assertThat(await(rig.remote.progress().next()).trainers())
            .hasSize(of.table().sources().size());
        assertThat(await(rig.services.getFirst().progress().next()).isDone()).isTrue();
      } catch (Throwable e) {
        throw new AssertionError("-Dreactivetransfer.weights.seed=" + (seed + i), e);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.remote.Rig#carriers")
  void whatATrainerThrowsIsTheReasonAndTheNextUpdateIsRight(String backend) {
    AtomicBoolean isBroken = new AtomicBoolean();
    PrepareFunction function =
        task -> {
          if (isBroken.get()) {
            throw new IllegalStateException("no more memory on the device");
          }
          PrepareFunction.standard().prepare(task);
        };
    Rig.Case of = Rig.Case.from(3, RemoteUpdatesTest::prepares);
    try (Rig rig = new Rig(backend, of, () -> RunOptions.builder().prepare(function))) {
      rig.requireFlips(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
      isBroken.set(true);
      UpdateResult result = await(rig.update(2, UpdateMode.TWO_BUFFERS_OUTLIVE, Rig.PATIENCE));
      assertThat(result.decision()).isEqualTo(Decision.ABORTED);
      assertThat(result.reason()).contains("trainer-").contains("does not write");
      rig.requireQuiet();
      isBroken.set(false);
      rig.requireFlips(3, UpdateMode.TWO_BUFFERS_OUTLIVE);
    }
  }

  /** Trainers that stand still in the middle of an update. */
  private static final class Standing {
    final AtomicBoolean isOn = new AtomicBoolean();
    final CountDownLatch preparing = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);

    RunOptions.Builder options() {
      return RunOptions.builder()
          .prepare(task -> {
            if (isOn.get()) {
              preparing.countDown();
              try {
                assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            }
            PrepareFunction.standard().prepare(task);
          });
    }

    CompletableFuture<UpdateResult> begin(Rig rig, Duration deadline) throws InterruptedException {
      isOn.set(true);
      CompletableFuture<UpdateResult> result =
          rig.update(9, UpdateMode.TWO_BUFFERS_OUTLIVE, deadline).toFuture();
      assertThat(preparing.await(30, TimeUnit.SECONDS)).isTrue();
      return result;
    }

    void end() {
      isOn.set(false);
      goOn.countDown();
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.remote.Rig#carriers")
  void aCancelBehindTheDeadlineStopsTrainersAndTheNextUpdateIsRight(String backend)
      throws Exception {
    Standing standing = new Standing();
    Rig.Case of = Rig.Case.from(17, RemoteUpdatesTest::prepares);
    try (Rig rig = new Rig(backend, of, standing::options)) {
      rig.requireFlips(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
      UpdateResult result = standing.begin(rig, Duration.ofSeconds(10)).get(60, TimeUnit.SECONDS);
      assertThat(result.decision()).isEqualTo(Decision.ABORTED);
      assertThat(result.reason())
          .matches(
              "the deadline is over while waiting for rank .+, which has not all bytes,"
                  + " and for trainer \\S+ at .+");
      standing.end();
      // Without waiting: the next run begins when the one before is quiet.
      rig.requireFlips(3, UpdateMode.TWO_BUFFERS_OUTLIVE);
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.remote.Rig#carriers")
  void aServiceThatClosesEndsTheUpdateAndNamesTheTrainer(String backend) throws Exception {
    Standing standing = new Standing();
    Rig.Case of = Rig.Case.from(40, RemoteUpdatesTest::prepares);
    try (Rig rig = new Rig(backend, of, standing::options)) {
      rig.requireFlips(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
      CompletableFuture<UpdateResult> update = standing.begin(rig, Rig.PATIENCE);
      CompletableFuture<Void> closed = rig.services.getFirst().close().toFuture();
      UpdateResult result = update.get(30, TimeUnit.SECONDS);
      assertThat(result.decision()).isEqualTo(Decision.ABORTED);
      assertThat(result.reason())
          .contains(rig.trainers.getFirst().name())
          .contains("its service was closed");
      standing.end();
      closed.get(30, TimeUnit.SECONDS);
      rig.services.set(
          0,
          TrainerService.open(
              rig.trainerEngines.getFirst(), rig.trainers.getFirst(), of.table().only(0)));
      rig.requireFlips(3, UpdateMode.TWO_BUFFERS_OUTLIVE);
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.remote.Rig#carriers")
  void aTrainerThatIsLostEndsTheUpdateLongBeforeTheDeadline(String backend) throws Exception {
    Standing standing = new Standing();
    Rig.Case of = Rig.Case.from(60, RemoteUpdatesTest::prepares);
    try (Rig rig = new Rig(backend, of, standing::options)) {
      rig.requireFlips(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
      CompletableFuture<UpdateResult> update = standing.begin(rig, Duration.ofMinutes(5));
      CompletableFuture<Void> closed = rig.trainerEngines.getFirst().close().toFuture();
      UpdateResult result = update.get(30, TimeUnit.SECONDS);
      standing.end();
      assertThat(result.decision()).isEqualTo(Decision.ABORTED);
      assertThat(result.reason()).contains("a trainer has failed: trainer ");
      closed.get(30, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.remote.Rig#carriers")
  void anOrderForARankThatTheTableHasNotIsRefusedByName(String backend) {
    Rig.Case of = Rig.Case.from(80, table -> table.targets().size() > 1);
    try (Rig rig = new Rig(backend, of, RunOptions::builder)) {
      rig.fill();
      UpdateResult result = await(rig.updateWithStranger("stranger"));
      assertThat(result.decision()).isEqualTo(Decision.ABORTED);
      assertThat(result.reason())
          .contains("expected an order for ranks of the table, " + rig.ranks.getFirst().name())
          .contains("got one for stranger");
      rig.requireFlips(2, UpdateMode.IN_PLACE);
    }
  }

  /** Nobody is told of it, and whoever has given it hears that at once. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anOrderThatNoMessageCarriesFailsAndTheNextUpdateIsRight(boolean isTraced) {
    Rig.Case of = Rig.Case.from(90, table -> true);
    try (Rig rig = new Rig("loopback", of, RunOptions::builder)) {
      RankTarget target = new RankTarget("r".repeat(255), List.of(), new Imm(1 << 28), 1);
      TraceContext trace =
          isTraced ? TraceContext.of(Map.of("traceparent", "00-1-2-01")) : TraceContext.NONE;
      WriteOrder order =
          new WriteOrder(new UpdateNumber(1, 2, 3), 1, Collections.nCopies(1 << 16, target), trace);
      Mono<Void> written = Flux.from(rig.writers().getFirst().write(order)).then();
      assertThatThrownBy(() -> written.block(Rig.PATIENCE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("trainer at ")
          .hasMessageContaining(" cannot be told its order: expected a message of at most ");
      rig.requireFlips(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.remote.Rig#carriers")
  void aRankThatComesLateIsFilledAloneWhileTheOthersServe(String backend) {
    Rig.Case of = Rig.Case.from(85, table -> table.targets().size() > 1);
    try (Rig rig = new Rig(backend, of, RunOptions::builder)) {
      ModelBytes bytes = rig.fill();
      assertThat(await(rig.update(1, UpdateMode.TWO_BUFFERS_OUTLIVE, Rig.PATIENCE)).isFlipped())
          .isTrue();
      int last = rig.ranks.size() - 1;
      rig.replaceRank(last);
      assertThat(rig.ranks.get(last).status().state()).isEqualTo(RankState.EMPTY);
      List<RankStatus> others = new CopyOnWriteArrayList<>();
      for (int i = 0; i < last; i++) {
        rig.ranks.get(i).statuses().subscribe(others::add);
      }
      UpdateResult result =
          await(rig.update(1, UpdateMode.TWO_BUFFERS_OUTLIVE, Rig.PATIENCE, List.of(last)));
      assertThat(result.isFlipped()).as(result.toString()).isTrue();
      for (int i = 0; i <= last; i++) {
        rig.requireServes(i, 1, bytes);
      }
      assertThat(others).allMatch(status -> status.state() == RankState.SERVING);
      rig.requireFlips(2, UpdateMode.IN_PLACE);
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.remote.Rig#carriers")
  void closingTheControllersSideFailsWhatWaitsAndStopsTrainers(String backend) throws Exception {
    Standing standing = new Standing();
    Rig.Case of = Rig.Case.from(90, RemoteUpdatesTest::prepares);
    try (Rig rig = new Rig(backend, of, standing::options)) {
      rig.requireFlips(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
      BlockingQueue<TrainerProgress> seen = new LinkedTransferQueue<>();
      CompletableFuture<Void> progress =
          rig.remote.progress().doOnNext(seen::add).then().toFuture();
      CompletableFuture<UpdateResult> update = standing.begin(rig, Rig.PATIENCE);
      rig.remote.close();
      UpdateResult result = update.get(30, TimeUnit.SECONDS);
      assertThat(result.decision()).isEqualTo(Decision.ABORTED);
      assertThat(result.reason()).contains("its controller closed");
      progress.get(30, TimeUnit.SECONDS);
      assertThat(seen).isNotEmpty();
      standing.end();
      rig.requireQuiet();
    }
  }
}
