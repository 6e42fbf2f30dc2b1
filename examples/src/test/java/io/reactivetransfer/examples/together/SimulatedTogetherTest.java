package io.reactivetransfer.examples.together;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineStats;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.examples.together.SimulatedSites.End;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Three pipelines on one engine of each node: none sees another's messages, immediates or barriers,
 * whatever comes first on the network and whatever happens to one of the nodes.
 */
class SimulatedTogetherTest {

  private static final long SEED = Long.getLong("reactivetransfer.together.seed", 20_261_126L);
  private static final int SEEDS = 4 * Integer.getInteger("reactivetransfer.rounds", 1);

  private static void calmRun(long seed, UnaryOperator<TransferEngine> mistake) {
    try (SimulatedSites world = new SimulatedSites(seed, mistake)) {
      Together together = world.value(Together.open(world.sites));
      int times = world.random.nextInt(2, 7);
      End<Void> run = world.await(together.run(done -> done < times));
      if (run.failure != null) {
        throw new AssertionError("expected all to go well", run.failure);
      }
      assertThat(together.all()).allSatisfy(each -> assertThat(each.done()).hasValue(times));
      End<Void> closed = world.await(together.close());
      if (closed.failure != null) {
        throw new AssertionError("expected them to close", closed.failure);
      }
      world.runFor(1_000_000_000);
      assertThat(together.leftovers()).isEmpty();
    }
  }

  private static void seeded(long seed, Runnable run) {
    try {
      run.run();
    } catch (Throwable e) {
      throw new AssertionError("-Dreactivetransfer.together.seed=" + seed + ": " + e, e);
    }
  }

  @Test
  void allAreExactBesideEachOther() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = SEED + i;
      seeded(seed, () -> calmRun(seed, engine -> engine));
    }
  }

  enum Fault {
    CLOSE_ENGINE,
    CUT,
    FAIL_NIC
  }

  private static void faultyRun(long seed, Fault fault) {
    try (SimulatedSites world = new SimulatedSites(seed, engine -> engine)) {
      Site one = world.sites.get(0);
      Site other = world.sites.get(1);
      Together together = world.value(Together.open(world.sites));
      End<Void> run = world.start(together.run(done -> done < 40));
      world.runFor(world.random.nextInt(1, 5_000_000));
      assertThat(run.isOver()).as("whether it was too short for its fault").isFalse();
      switch (fault) {
        case CLOSE_ENGINE -> world.start(other.engine.close());
        case CUT -> world.network.cutControl(one.engine.id(), other.engine.id(), 5_000_000_000L);
        case FAIL_NIC -> world.network.failNic(one.engine.id(), 0, 100_000_000);
      }
      world.runUntil(run::isOver);
      for (Throwable failure : all(run.failure)) {
        assertThat(failure).isNotInstanceOf(WrongBytesException.class);
      }
      // What cannot say goodbye any more may fail; it ends all the same, and leaves nothing behind.
      world.await(
          Flux.fromIterable(together.all())
              .flatMap(each -> each.pipeline().close().onErrorComplete())
              .then());
      world.await(Flux.fromIterable(world.sites).flatMap(Site::close).onErrorComplete().then());
      world.runFor(20_000_000_000L);
      EngineStats stats = one.engine.stats();
      assertThat(stats.transfersInFlight()).isZero();
      assertThat(stats.pendingClaims()).isZero();
      assertThat(stats.openLeases()).isZero();
      world.await(
          Mono.whenDelayError(world.sites.stream().map(site -> site.engine.close()).toList()));
    }
  }

  private static Iterable<Throwable> all(@Nullable Throwable failure) {
    return failure == null
        ? List.of()
        : Stream.concat(Stream.of(failure), Stream.of(failure.getSuppressed())).toList();
  }

  @ParameterizedTest
  @EnumSource
  void whateverHappensAllEndAndNoneHasWrongBytes(Fault fault) {
    for (int i = 0; i < SEEDS; i++) {
      long seed = SEED + i;
      seeded(seed, () -> faultyRun(seed, fault));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anEngineOnWhichTheyMeetIsFound(SharedEngineMistake mistake) {
    for (int i = 0; i < SEEDS; i++) {
      try {
        calmRun(SEED + i, mistake);
      } catch (Throwable found) {
        return;
      }
    }
    throw new AssertionError("expected " + mistake + " to be found");
  }
}
