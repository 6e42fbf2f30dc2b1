package io.reactivetransfer.examples.snippets;

import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.membership.Membership;
import io.reactivetransfer.membership.NodeRanks;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.plan.FillTable;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.RemoteTrainers;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TargetMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.run.UpdateTargets;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.RankTarget;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsRankBuilder;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The lines of docs/weights.md that are no program of their own, so that they are compiled. */
abstract class WeightsSnippets {

  abstract void show(RunProgress progress);

  abstract void compute(List<Memory> regions);

  abstract Mono<Void> write(List<RankTarget> targets);

  Mono<Void> counts(TransferEngine engine, RoutingTable table, int rank) {
    ImmLease lease = engine.lease();
    Mono<Void> arrived = lease.counter().next(table.arrivals()[rank]);
    return arrived;
  }

  void writes(
      TransferEngine engine,
      RoutingTable table,
      int rank,
      MemoryRegion region,
      List<PeerAddress> addresses,
      RegionDescriptor descriptor,
      Imm imm,
      long number,
      List<TargetMemory> targets) {
    TrainerRank trainer =
        TrainerRank.open(
                engine,
                table.only(rank),
                rank,
                List.of(SourceMemory.of(region)),
                RunOptions.builder().trainers(addresses).temporaryBytes(256 << 20).build())
            .block();

    TargetMemory target = new TargetMemory(List.of(engine.remote(descriptor)), imm);
    trainer.write(new UpdateTargets(number, targets)).subscribe(progress -> show(progress));
    compute(List.of());
    targets.add(target);
  }

  Mono<UpdateResult> updates(
      TransferEngine engine,
      TransferEngine controllerEngine,
      MemorySegment first,
      MemorySegment second,
      Map<String, Long> arrivals,
      Peer peer0,
      Peer peer1) {
    WeightsRank rank =
        WeightsRank.on(engine, "rank-0")
            .buffer(WeightsBuffer.of(first))
            .buffer(WeightsBuffer.of(second))
            .version(7)
            .open()
            .block();

    try (VersionLease lease = rank.lease()) {
      compute(lease.regions());
    }

    WeightsController controller = WeightsController.open(controllerEngine);
    Mono<UpdateResult> result =
        controller.update(
            new WeightsUpdate(8, UpdateMode.TWO_BUFFERS_OUTLIVE, arrivals, Duration.ofSeconds(30)),
            List.of(new RankMember("rank-0", peer0), new RankMember("rank-1", peer1)),
            List.of(order -> write(order.targets())));
    return result;
  }

  TrainerService elsewhere(
      TransferEngine engine,
      TrainerRank trainer,
      RoutingTable table,
      int rank,
      TransferEngine controllerEngine,
      List<Peer> peers,
      WeightsController controller,
      WeightsUpdate update,
      List<RankMember> ranks) {
    TrainerService service = TrainerService.open(engine, trainer, table.only(rank));

    RemoteTrainers remote = RemoteTrainers.open(controllerEngine);
    List<WeightsTrainer> trainers = peers.stream().map(remote::trainer).toList();
    controller.update(update, ranks, trainers);
    remote.progress().subscribe(progress -> show(progress.sum()));
    return service;
  }

  Mono<UpdateResult> fills(
      WeightsRank rank,
      TargetRank own,
      List<TargetRank> others,
      TargetRank rank0,
      TargetRank rank2,
      Peer serving,
      Peer late,
      UpdateMode mode,
      WeightsController controller,
      RemoteTrainers remote) {
    RoutingTable toOthers = FillTable.of(own, others);
    TrainerService service = TrainerService.open(rank, toOthers, RunOptions.defaults());

    long writes = FillTable.of(rank0, List.of(rank2)).arrivals()[0];
    WeightsUpdate update =
        new WeightsUpdate(7, mode, Map.of("rank-2", writes), Duration.ofSeconds(30));
    Mono<UpdateResult> filled =
        controller.update(
            update, List.of(new RankMember("rank-2", late)), List.of(remote.trainer(serving)));
    return filled.flatMap(result -> service.close().thenReturn(result));
  }

  Mono<RunOptions> trainersThatAreFound(TransferEngine engine, Membership membership) {
    Mono<List<PeerAddress>> trainerRanks =
        NodeRanks.addresses(engine, membership, "trainer", 8, Duration.ofMinutes(5));
    Mono<RunOptions> options =
        trainerRanks.map(addresses -> RunOptions.builder().trainers(addresses).build());
    return options;
  }

  Mono<Void> bothSidesThatAreFound(
      TransferEngine controllerEngine,
      Membership membership,
      RemoteTrainers remote,
      WeightsController controller,
      WeightsUpdate update) {
    Mono<List<RankMember>> members =
        NodeRanks.addresses(controllerEngine, membership, "inference", 2, Duration.ofMinutes(5))
            .map(addresses ->
                IntStream.range(0, addresses.size())
                    .mapToObj(
                        i -> new RankMember("rank-" + i, controllerEngine.peer(addresses.get(i))))
                    .toList());
    Mono<List<WeightsTrainer>> orderable =
        NodeRanks.addresses(controllerEngine, membership, "trainer", 8, Duration.ofMinutes(5))
            .map(addresses ->
                addresses.stream().map(controllerEngine::peer).map(remote::trainer).toList());
    return Mono.zip(members, orderable)
        .flatMap(both -> controller.update(update, both.getT1(), both.getT2()))
        .then();
  }

  WeightsRankBuilder compares(TransferEngine engine) {
    Checksums checksums =
        Checksums.open(
            engine, Duration.ofSeconds(30), Schedulers.parallel(), Schedulers.boundedElastic());
    WeightsRankBuilder builder = WeightsRank.on(engine, "rank-0").verify(checksums);
    return builder;
  }
}
