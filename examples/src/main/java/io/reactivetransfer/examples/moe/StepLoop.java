package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Memory;
import io.reactivetransfer.moe.ExpertBatch;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeStep;
import io.reactivetransfer.tools.moe.Barrier;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One rank's steps, one after the other as fast as it goes: each begins when the sums of the one
 * before are there. The experts take no time, and their results are whatever lies there.
 */
final class StepLoop {

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final MoeGroup group;
  private final List<Routing> routings;
  private final TokenMemory tokens;
  private final Memory sums;

  /**
   * Steps of a group.
   *
   * @param routings those of the steps in turn
   */
  StepLoop(MoeGroup group, List<Routing> routings, TokenMemory tokens, Memory sums) {
    this.group = group;
    this.routings = List.copyOf(routings);
    this.tokens = tokens;
    this.sums = sums;
  }

  /**
   * Times steps. One more before them is not: in it the ranks, which are not told to begin at the
   * same moment, wait for each other.
   */
  Mono<Times> run(int steps) {
    return run(steps, 1, null);
  }

  private Mono<Times> run(int steps, int lanes, @Nullable Barrier barrier) {
    return Mono.defer(() -> {
      Times times = Times.of(steps + 1);
      List<Mono<Void>> sent = new ArrayList<>();
      return Flux.range(0, steps + 1)
          .concatMap(i -> step(i, i % lanes, times, sent, barrier))
          .then(Mono.defer(() -> Mono.when(sent)))
          .then(Mono.fromSupplier(times::withoutFirst));
    });
  }

  /** The same, each step on another lane than the one before: on all of them in turn. */
  Mono<Times> runOnLanes(int steps) {
    return run(steps, group.shape().lanes(), null);
  }

  /** The same, with a barrier behind each of the two exchanges of a step. */
  Mono<Times> run(int steps, Barrier barrier) {
    return run(steps, 1, barrier);
  }

  /** Steps until the group is over; then fails with why. */
  Mono<Void> endless() {
    Times times = Times.of(1);
    return Mono.defer(() -> step(0, 0, times, new ArrayList<>(), null)).repeat().then();
  }

  private Mono<Void> step(
      int i, int lane, Times times, List<Mono<Void>> sent, @Nullable Barrier barrier) {
    Routing routing = routings.get(i % routings.size());
    long began = System.nanoTime();
    long taken = threads.getCurrentThreadCpuTime();
    MoeStep step = group.lane(lane).begin(routing.tokens(), routing.experts(), routing.weights());
    long hasBegun = threads.getCurrentThreadCpuTime();
    sent.add(begun(timed(tokens.send(step), Half.DISPATCH_SEND, i, times)));
    times.set(Half.ENQUEUE, i, threads.getCurrentThreadCpuTime() - hasBegun);
    times.set(Half.BEGIN, i, hasBegun - taken);
    Mono<ExpertBatch> received = timed(step.dispatchReceive(), Half.DISPATCH_RECEIVE, i, times);
    Mono<Void> combined =
        barrier == null
            ? received.flatMap(batch -> combine(step, i, times, sent))
            : received
                .flatMap(batch -> barrier.pass())
                .then(Mono.defer(() -> combine(step, i, times, sent)))
                .then(barrier.pass());
    return combined.doOnSuccess(done -> times.set(Half.STEP, i, System.nanoTime() - began));
  }

  private Mono<Void> combine(MoeStep step, int i, Times times, List<Mono<Void>> sent) {
    sent.add(begun(timed(step.combineSend(), Half.COMBINE_SEND, i, times)));
    return timed(step.combineReceive(sums), Half.COMBINE_RECEIVE, i, times);
  }

  /** Begins with it at once; whoever subscribes to what is returned waits for the same. */
  static Mono<Void> begun(Mono<Void> half) {
    Mono<Void> shared = half.cache();
    // If it fails, so do all halves of the group: those that are waited for tell.
    shared.subscribe(done -> {}, failure -> {});
    return shared;
  }

  private static <T> Mono<T> timed(Mono<T> half, Half which, int i, Times times) {
    return Mono.defer(() -> {
      long began = System.nanoTime();
      return half.doOnSuccess(done -> times.set(which, i, System.nanoTime() - began));
    });
  }
}
