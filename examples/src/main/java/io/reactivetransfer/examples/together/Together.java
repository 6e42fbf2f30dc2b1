package io.reactivetransfer.examples.together;

import io.reactivetransfer.EngineStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The three pipelines on the same engines. */
final class Together {

  /** A pipeline, and how often it has done what it does. */
  record Running(Pipeline pipeline, AtomicLong done) {}

  private final List<Site> sites;
  private final List<Running> all;

  private Together(List<Site> sites, List<Pipeline> pipelines) {
    this.sites = sites;
    this.all = pipelines.stream().map(pipeline -> new Running(pipeline, new AtomicLong())).toList();
  }

  /**
   * Opens all of them, at once.
   *
   * @param sites three or more
   */
  static Mono<Together> open(List<Site> sites) {
    return Mono.zip(
            HandOvers.open(sites.get(0), sites.get(1)),
            HandOvers.open(sites.get(1), sites.get(0)),
            Updates.open(sites),
            Steps.open(sites))
        .map(opened ->
            new Together(
                sites, List.of(opened.getT1(), opened.getT2(), opened.getT3(), opened.getT4())));
  }

  /** All of them, in the order in which they are opened. */
  List<Running> all() {
    return all;
  }

  /**
   * Has each of them do what it does, again and again, beside the others. Fails when all have
   * ended, if any has failed.
   *
   * @param more whether one that has done it so often does it once more
   */
  Mono<Void> run(LongPredicate more) {
    return Mono.whenDelayError(all.stream().map(each -> repeat(each, more)).toList());
  }

  private static Mono<Void> repeat(Running each, LongPredicate more) {
    return Mono.defer(() -> each.pipeline().once(each.done().get() + 1))
        .doOnSuccess(_ -> each.done().incrementAndGet())
        .repeat(() -> more.test(each.done().get()))
        .then();
  }

  /** Ends all pipelines. The engines stay. */
  Mono<Void> close() {
    return Flux.fromIterable(all)
        .concatMap(each -> each.pipeline().close())
        .thenMany(Flux.fromIterable(sites).concatMap(Site::close))
        .then();
  }

  /**
   * What the pipelines have left behind in the engines or at each other's cost, in words; nothing
   * if all is as it should be. When they are closed.
   */
  List<String> leftovers() {
    List<String> found = new ArrayList<>();
    for (Site site : sites) {
      EngineStats stats = site.engine.stats();
      add(found, site, stats.transfersInFlight(), "transfers in flight");
      add(found, site, stats.pendingClaims(), "pending claims");
      add(found, site, stats.openLeases(), "leases of immediates");
      add(found, site, stats.unclaimedImms(), "immediates that nobody has claimed");
      add(found, site, stats.droppedImms(), "immediates that were dropped");
      add(found, site, stats.defects(), "defects");
    }
    return found;
  }

  private static void add(List<String> found, Site site, long count, String what) {
    if (count != 0) {
      found.add(site.name + ": expected no " + what + ", got " + count);
    }
  }
}
