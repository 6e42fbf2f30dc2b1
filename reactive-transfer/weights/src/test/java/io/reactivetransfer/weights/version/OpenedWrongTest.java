package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.remote.RemoteTrainers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** What cannot work is refused when it is opened, and says why. */
class OpenedWrongTest {

  private final TransferEngine engine =
      TransferEngineBuilder.create().backend("loopback").open().block(Cluster.PATIENCE);

  @AfterEach
  void close() {
    engine.close().block(Cluster.PATIENCE);
  }

  private static WeightsBuffer buffer(Arena arena) {
    return WeightsBuffer.of(arena.allocate(64, 64));
  }

  private void requireOnce(String what, int channel, Consumer<TransferEngine> open) {
    open.accept(engine);
    ThrowingCallable again = () -> open.accept(engine);
    assertThatThrownBy(again)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "expected an open engine with no other "
                + what
                + ", which reads message channel "
                + channel
                + ", got: ");
    engine.close().block(Cluster.PATIENCE);
    assertThatThrownBy(again).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aSecondController() {
    requireOnce("WeightsController", 21, WeightsController::open);
  }

  @Test
  void secondChecksums() {
    requireOnce("Checksums", 24, Checksums::open);
  }

  @Test
  void secondRemoteTrainers() {
    requireOnce("RemoteTrainers", 23, RemoteTrainers::open);
  }

  @Test
  void aSecondRankLeavesTheFirstAsItIs() {
    try (Arena arena = Arena.ofShared()) {
      WeightsRank first =
          WeightsRank.on(engine, "one").buffer(buffer(arena)).version(7).open().block();
      assertThatThrownBy(() -> WeightsRank.on(engine, "two").buffer(buffer(arena)).open().block())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("expected an open engine with no other WeightsRank");
      assertThat(first.status().state()).isEqualTo(RankState.SERVING);
      first.close().block(Cluster.PATIENCE);
    }
  }

  @Test
  void timersThatCannotWaitLeaveNothingBehind() {
    try (Arena arena = Arena.ofShared()) {
      WeightsRankBuilder builder = WeightsRank.on(engine, "one").buffer(buffer(arena)).version(7);
      assertThatThrownBy(
              () -> builder.timers(Schedulers.immediate()).open().block(Cluster.PATIENCE))
          .isInstanceOf(RejectedExecutionException.class);
      WeightsRank rank = builder.timers(Schedulers.parallel()).open().block(Cluster.PATIENCE);
      assertThat(rank.status().state()).isEqualTo(RankState.SERVING);
      rank.close().block(Cluster.PATIENCE);
    }
    assertThatThrownBy(() -> RemoteTrainers.open(engine, Schedulers.immediate()))
        .isInstanceOf(RejectedExecutionException.class);
    RemoteTrainers.open(engine).close();
  }

  /** Nobody else could close what was never emitted. */
  @Test
  void aCancelWhileARankOpensLeavesNothingBehind() throws InterruptedException {
    try (Arena arena = Arena.ofShared()) {
      BaseSubscriber<WeightsRank> opening = new BaseSubscriber<>() {};
      CountDownLatch closed = new CountDownLatch(1);
      VersionRecorder cancelling =
          new VersionRecorder() {
            @Override
            public void opened(WeightsRank rank) {
              opening.cancel();
            }

            @Override
            public void closed(WeightsRank rank) {
              closed.countDown();
            }
          };
      WeightsRankBuilder builder = WeightsRank.on(engine, "one").buffer(buffer(arena)).version(7);
      builder.recorder(cancelling).open().subscribe(opening);
      assertThat(closed.await(40, TimeUnit.SECONDS)).isTrue();
      WeightsRank rank = builder.recorder(VersionRecorder.NONE).open().block(Cluster.PATIENCE);
      assertThat(rank.status().state()).isEqualTo(RankState.SERVING);
      rank.close().block(Cluster.PATIENCE);
    }
  }

  /** Both channels are free again, whichever of them was another's. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRankThatIsClosedWhileItOpensInVainLeavesNothingBehind(boolean isRankThere) {
    try (Arena arena = Arena.ofShared()) {
      Checksums sums = isRankThere ? null : Checksums.open(engine);
      WeightsRankBuilder other = WeightsRank.on(engine, "one").buffer(buffer(arena)).unverified();
      WeightsRank there = isRankThere ? other.open().block(Cluster.PATIENCE) : null;
      AtomicReference<WeightsRank> opening = new AtomicReference<>();
      VersionRecorder seeing =
          new VersionRecorder() {
            @Override
            public void opened(WeightsRank rank) {
              opening.set(rank);
            }
          };
      TransferEngine closing =
          (TransferEngine)
              Proxy.newProxyInstance(
                  OpenedWrongTest.class.getClassLoader(),
                  new Class<?>[] {TransferEngine.class},
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("messages")) {
                      opening.get().close().subscribe();
                    }
                    return method.invoke(engine, arguments);
                  });
      WeightsRankBuilder builder =
          WeightsRank.on(closing, "two").buffer(buffer(arena)).recorder(seeing);
      assertThatThrownBy(() -> builder.open().block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class);
      if (sums != null) {
        sums.close();
      }
      if (there != null) {
        there.close().block(Cluster.PATIENCE);
      }
      WeightsRank rank =
          WeightsRank.on(engine, "three").buffer(buffer(arena)).open().block(Cluster.PATIENCE);
      rank.close().block(Cluster.PATIENCE);
    }
  }

  /** Whoever takes the first of several cancels as it gets it. */
  @Test
  void aCancelWithTheRankInHandLeavesItOpen() {
    try (Arena arena = Arena.ofShared()) {
      WeightsRank rank =
          Flux.from(WeightsRank.on(engine, "one").buffer(buffer(arena)).version(7).open())
              .blockFirst(Cluster.PATIENCE);
      assertThat(rank.status().state()).isEqualTo(RankState.SERVING);
      rank.close().block(Cluster.PATIENCE);
    }
  }

  /** A lease of one version would see how the next one is written. */
  @Test
  void buffersThatShareMemory() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(96, 64);
      WeightsRankBuilder builder =
          WeightsRank.on(engine, "one")
              .buffer(WeightsBuffer.of(memory.asSlice(0, 64)))
              .buffer(WeightsBuffer.of(memory.asSlice(32, 64)));
      assertThatThrownBy(() -> builder.open().block())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("expected regions of buffers of rank one that share no memory");
    }
  }

  @Test
  void moreArrivalsThanCanBeCounted() {
    long most = WeightsUpdate.MAX_ARRIVALS;
    assertThat(update(most).arrivals()).containsEntry("one", most);
    assertThatThrownBy(() -> update(most + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected 1 to " + most + " arrivals at rank one, got " + (most + 1));
  }

  /** Nothing that is sent to it would ever go out, and the deadline would say that it is silent. */
  @Test
  void ranksAndTrainersAsAnotherEngineSeesThem() {
    TransferEngine other =
        TransferEngineBuilder.create().backend("loopback").open().block(Cluster.PATIENCE);
    Peer seen = other.peer(engine.address());
    WeightsController controller = WeightsController.open(engine);
    List<RankMember> ranks = List.of(new RankMember("one", seen));
    assertThatThrownBy(() -> controller.update(update(1), ranks, List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected ranks as this controller's engine sees them, got one");
    assertThatThrownBy(() -> controller.recover(ranks, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("use peer(address) of this one");
    assertThatThrownBy(() -> RemoteTrainers.open(engine).trainer(seen))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected a trainer as this controller's engine sees it, got");
    other.close().block(Cluster.PATIENCE);
  }

  /** An engine sends nothing to itself, and a rank that never answers would be taken for lost. */
  @Test
  void ranksAndTrainersOnTheControllersOwnEngine() {
    Peer itself = engine.peer(engine.address());
    WeightsController controller = WeightsController.open(engine);
    List<RankMember> ranks = List.of(new RankMember("one", itself));
    assertThatThrownBy(() -> controller.update(update(1), ranks, List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected ranks on other engines than the controller's, got one");
    assertThatThrownBy(() -> controller.recover(ranks, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected ranks on other engines than the controller's, got one");
    assertThatThrownBy(() -> RemoteTrainers.open(engine).trainer(itself))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("TrainerService.local");
  }

  private static WeightsUpdate update(long arrivals) {
    return new WeightsUpdate(
        1, UpdateMode.IN_PLACE, Map.of("one", arrivals), Duration.ofSeconds(1));
  }
}
