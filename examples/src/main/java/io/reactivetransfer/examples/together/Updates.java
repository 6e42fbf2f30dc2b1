package io.reactivetransfer.examples.together;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Sharding;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A trainer and a controller on the first node bring each of the others its part of a tensor. Not
 * the first one itself: an engine does not write to itself.
 */
final class Updates implements Pipeline {

  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Tensor W = new Tensor("w", DataType.BF16, Shape.of(512, 256));

  private final Site first;

  /** Where the ranks are. */
  private final List<Site> others;

  private final RoutingTable table;
  private final MemorySegment weights;
  private final TrainerRank trainer;
  private final List<WeightsRank> ranks;

  /** With which the ranks compare what has come, on the schedulers of their sites. */
  private final List<Checksums> sums;

  private final WeightsController controller;
  private final List<WeightsTrainer> trainers;

  private Updates(
      Site first,
      List<Site> others,
      RoutingTable table,
      MemorySegment weights,
      TrainerRank trainer,
      List<WeightsRank> ranks,
      List<Checksums> sums) {
    this.first = first;
    this.others = others;
    this.table = table;
    this.weights = weights;
    this.trainer = trainer;
    this.ranks = ranks;
    this.sums = sums;
    this.controller = WeightsController.open(first.engine, first.timers);
    this.trainers = List.of(TrainerService.local(first.engine, trainer, table));
  }

  static Mono<Pipeline> open(List<Site> sites) {
    return Mono.defer(() -> {
      Site first = sites.getFirst();
      List<Site> others = sites.subList(1, sites.size());
      RoutingTable table = table(others);
      MemorySegment weights = first.allocate(W.bytes());
      RunOptions options =
          RunOptions.builder()
              .scheduler(first.scheduler)
              .timers(first.timers)
              .deadline(DEADLINE)
              .build();
      Mono<TrainerRank> trainer =
          first
              .engine
              .register(weights)
              .flatMap(region ->
                  TrainerRank.open(
                      first.engine, table, 0, List.of(SourceMemory.of(region)), options));
      List<Checksums> sums = new ArrayList<>();
      Mono<List<WeightsRank>> ranks =
          Flux.fromIterable(others)
              .concatMap(site -> rank(site, others.size(), sums))
              .collectList();
      return Mono.zip(trainer, ranks)
          .map(
              both -> new Updates(first, others, table, weights, both.getT1(), both.getT2(), sums));
    });
  }

  private static RoutingTable table(List<Site> others) {
    int ranks = others.size();
    Sharding all = Sharding.replicated(Mesh.of("train"));
    Sharding parts = Sharding.replicated(Mesh.of("serve", Mesh.axis("tp", ranks))).split(0, "tp");
    SourceRank source =
        new SourceRank(
            Rank.of("trainer", RegionSpec.registered(W.bytes())),
            List.of(new SourceShare(W, "dense", all.of(W, 0).pieces(0, 0))));
    List<TargetRank> targets =
        IntStream.range(0, ranks)
            .mapToObj(rank ->
                new TargetRank(
                    Rank.of(others.get(rank).name, RegionSpec.registered(W.bytes() / ranks)),
                    List.of(new TargetShare(W, Content.of("w"), parts.of(W, rank).pieces(0, 0)))))
            .toList();
    return Planner.create().plan(List.of(source), targets);
  }

  private static Mono<WeightsRank> rank(Site site, int ranks, List<Checksums> sums) {
    Checksums comparing =
        Checksums.open(site.engine, Checksums.DEADLINE, site.timers, site.scheduler);
    sums.add(comparing);
    return WeightsRank.on(site.engine, site.name)
        .buffer(WeightsBuffer.of(site.allocate(W.bytes() / ranks)))
        .buffer(WeightsBuffer.of(site.allocate(W.bytes() / ranks)))
        .timers(site.timers)
        .verify(comparing)
        .open();
  }

  @Override
  public String name() {
    return "weights";
  }

  @Override
  public long bytes() {
    return W.bytes();
  }

  @Override
  public Mono<Void> once(long number) {
    return Mono.defer(
            () -> {
              Bytes.fill(weights, number);
              long[] counts = table.arrivals();
              Map<String, Long> arrivals = new LinkedHashMap<>();
              for (int rank = 0; rank < counts.length; rank++) {
                arrivals.put(others.get(rank).name, counts[rank]);
              }
              List<RankMember> members =
                  others.stream()
                      .map(site ->
                          new RankMember(site.name, first.engine.peer(site.engine.address())))
                      .toList();
              WeightsUpdate update =
                  new WeightsUpdate(number, UpdateMode.TWO_BUFFERS_OUTLIVE, arrivals, DEADLINE);
              return controller
                  .update(update, members, trainers)
                  .doOnNext(end -> compare(number, end));
            })
        .then();
  }

  private void compare(long version, UpdateResult end) {
    if (!end.isFlipped() || !end.isConfirmed()) {
      throw new IllegalStateException("expected all ranks to have version " + version + ": " + end);
    }
    for (int rank = 0; rank < ranks.size(); rank++) {
      try (VersionLease lease = ranks.get(rank).lease()) {
        if (lease.version() != version) {
          throw new WrongBytesException(
              "expected a lease on version " + version + ", got " + lease.version());
        }
        MemorySegment served = ((HostMemory) lease.regions().getFirst()).segment();
        Bytes.require(name(), served, version, rank * served.byteSize());
      }
    }
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(() -> {
      controller.close();
      return controller
          .closed()
          .then(trainer.close())
          .then(Flux.fromIterable(ranks).concatMap(WeightsRank::close).then())
          .doFinally(end -> sums.forEach(Checksums::close));
    });
  }
}
