package io.reactivetransfer.examples.together;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineStats;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.examples.together.SimulatedSites.End;
import io.reactivetransfer.moe.GroupFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Three pipelines on one engine of each node: none sees another's messages, immediates or barriers,
 * whatever comes first on the network and whatever happens to one of the nodes.
 */
class SimulatedTogetherTest {

  private static final long SEED = Long.getLong("reactivetransfer.together.seed", 20_261_126L);

  /** How often each does what it does, where something happens meanwhile. */
  private static final int TIMES = 40;

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
    KILL,
    CLOSE_ENGINE,
    CUT,
    FAIL_NIC
  }

  private static void faultyRun(long seed, Fault fault) {
    try (SimulatedSites world = new SimulatedSites(seed, engine -> engine)) {
      Site one = world.sites.get(0);
      Site other = world.sites.get(1);
      Site third = world.sites.get(2);
      List<Site> left = new ArrayList<>(world.sites);
      Together together = world.value(Together.open(world.sites));
      End<Void> run = world.start(together.run(done -> done < TIMES));
      world.runFor(world.random.nextInt(1, 5_000_000));
      assertThat(run.isOver()).as("whether it was too short for its fault").isFalse();
      switch (fault) {
        case KILL -> {
          world.kill(third);
          left.remove(third);
        }
        case CLOSE_ENGINE -> {
          world.start(other.engine.close());
          left.remove(other);
        }
        case CUT -> world.network.cutControl(one.engine.id(), other.engine.id(), 5_000_000_000L);
        case FAIL_NIC -> world.network.failNic(one.engine.id(), 0, 100_000_000);
      }
      world.runUntil(run::isOver);
      for (Throwable failure : all(run.failure)) {
        assertThat(failure).isNotInstanceOf(WrongBytesException.class);
        requireRightName(fault, failure);
      }
      if (fault == Fault.KILL) {
        assertThat(run.failure).as("what the third node was needed for").isNotNull();
        assertThat(together.all())
            .filteredOn(each -> each.pipeline() instanceof HandOvers)
            .as("what it has no part in")
            .hasSize(2)
            .allSatisfy(each -> assertThat(each.done()).hasValue(TIMES));
      }
      // What cannot say goodbye any more may fail; it ends all the same, and leaves nothing behind.
      world.await(
          Flux.fromIterable(together.all())
              .map(each -> each.pipeline().close().onErrorComplete())
              .flatMap(end -> fault == Fault.KILL ? withoutTheKilled(end, one.timers) : end)
              .then());
      world.await(Flux.fromIterable(left).flatMap(site -> site.close().onErrorComplete()).then());
      world.runFor(20_000_000_000L);
      for (Site site : left) {
        EngineStats stats = site.engine.stats();
        assertThat(stats.transfersInFlight()).as("of %s", site.name).isZero();
        assertThat(stats.pendingClaims()).as("of %s", site.name).isZero();
        assertThat(stats.openLeases()).as("of %s", site.name).isZero();
        assertThat(stats.defects()).as("of %s", site.name).isZero();
      }
      world.await(Mono.whenDelayError(left.stream().map(site -> site.engine.close()).toList()));
    }
  }

  /** What is to end on a node that was killed never does. */
  private static Mono<Void> withoutTheKilled(Mono<Void> end, Scheduler timers) {
    return end.timeout(Duration.ofSeconds(10), Mono.empty(), timers);
  }

  private static void requireRightName(Fault fault, Throwable failure) {
    if (failure instanceof GroupFailedException ended) {
      switch (fault) {
        case KILL -> assertThat(ended.rank()).as("%s", ended).hasValue(2);
        case CLOSE_ENGINE -> {
          if (!String.valueOf(ended.getMessage()).contains("the engine has closed")) {
            assertThat(ended.rank()).as("%s", ended).hasValue(1);
          }
        }
        case CUT -> assertThat(ended.rank().orElse(-1)).as("%s", ended).isBetween(0, 1);
        case FAIL_NIC -> assertThat(ended.rank().orElse(-1)).as("%s", ended).isNotNegative();
      }
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
