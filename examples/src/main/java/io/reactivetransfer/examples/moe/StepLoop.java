package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Memory;
import io.reactivetransfer.moe.ExpertBatch;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeStep;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
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
  private final Memory tokens;
  private final Memory sums;

  /**
   * Steps of a group.
   *
   * @param routings those of the steps in turn
   */
  StepLoop(MoeGroup group, List<Routing> routings, Memory tokens, Memory sums) {
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
    return Mono.defer(() -> {
      Times times = Times.of(steps + 1);
      List<Mono<Void>> sent = new ArrayList<>();
      return Flux.range(0, steps + 1)
          .concatMap(i -> step(i, times, sent))
          .then(Mono.defer(() -> Mono.when(sent)))
          .then(Mono.fromSupplier(times::withoutFirst));
    });
  }

  /** Steps until the group is over; then fails with why. */
  Mono<Void> endless() {
    Times times = Times.of(1);
    return Mono.defer(() -> step(0, times, new ArrayList<>())).repeat().then();
  }

  private Mono<Void> step(int i, Times times, List<Mono<Void>> sent) {
    Routing routing = routings.get(i % routings.size());
    long began = System.nanoTime();
    long taken = threads.getCurrentThreadCpuTime();
    MoeStep step = group.lane(0).begin(routing.tokens(), routing.experts(), routing.weights());
    long hasBegun = threads.getCurrentThreadCpuTime();
    sent.add(begun(timed(step.dispatchSend(tokens), Half.DISPATCH_SEND, i, times)));
    times.set(Half.ENQUEUE, i, threads.getCurrentThreadCpuTime() - hasBegun);
    times.set(Half.BEGIN, i, hasBegun - taken);
    Mono<ExpertBatch> received = timed(step.dispatchReceive(), Half.DISPATCH_RECEIVE, i, times);
    return received.flatMap(batch -> {
      sent.add(begun(timed(step.combineSend(), Half.COMBINE_SEND, i, times)));
      return timed(step.combineReceive(sums), Half.COMBINE_RECEIVE, i, times)
          .doOnSuccess(done -> times.set(Half.STEP, i, System.nanoTime() - began));
    });
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
