package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Memory;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeStep;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Steps of an engine whose NICs note what they take. Each begins when all halves of the one before
 * have ended, so that no write of another step is among those that are noted.
 */
final class NotedSteps {

  private final MoeGroup group;
  private final Posts posts;
  private final List<Routing> routings;
  private final TokenMemory tokens;
  private final Memory sums;

  NotedSteps(MoeGroup group, Posts posts, List<Routing> routings, TokenMemory tokens, Memory sums) {
    this.group = group;
    this.posts = posts;
    this.routings = List.copyOf(routings);
    this.tokens = tokens;
    this.sums = sums;
  }

  /** Times steps; one more before them is not. */
  Mono<HostTimes> run(int steps) {
    return Mono.defer(() -> {
      HostTimes times = HostTimes.of(steps + 1);
      return Flux.range(0, steps + 1)
          .concatMap(i -> step(i, times))
          .then(Mono.fromSupplier(times::withoutFirst));
    });
  }

  private Mono<Void> step(int i, HostTimes times) {
    Routing routing = routings.get(i % routings.size());
    MoeStep step = group.lane(0).begin(routing.tokens(), routing.experts(), routing.weights());
    Begun routes = new Begun();
    Begun results = new Begun();
    posts.begin();
    Mono<Void> dispatched = routes.with(tokens.send(step));
    return step.dispatchReceive()
        .flatMap(batch -> Mono.when(results.with(step.combineSend()), step.combineReceive(sums)))
        .then(dispatched)
        .doOnSuccess(done -> {
          routes.set(times, HostTimes.Exchange.ROUTES, i, posts.routes());
          results.set(times, HostTimes.Exchange.RESULTS, i, posts.results());
        });
  }

  /** When a half was subscribed to. */
  private final class Begun {
    private long begun;
    private long enqueued;

    Mono<Void> with(Mono<Void> half) {
      begun = System.nanoTime();
      Mono<Void> shared = StepLoop.begun(half);
      enqueued = System.nanoTime();
      return shared;
    }

    void set(HostTimes times, HostTimes.Exchange exchange, int step, Posts.Moments moments) {
      times.set(exchange, step, begun, enqueued, posts.areTurnsSeen(), moments);
    }
  }
}
