package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.RoutingTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** All ranks of a table on the engines of a cluster, with memory, in one process. */
final class Rig implements AutoCloseable {

  final RoutingTable table;
  final List<TrainerRank> trainers = new ArrayList<>();
  final List<ImmLease> arrivals = new ArrayList<>();
  private final Cluster cluster;
  private final Arena arena = Arena.ofShared();
  private final List<List<MemorySegment>> sourceMemory = new ArrayList<>();
  private final List<List<MemorySegment>> targetMemory = new ArrayList<>();
  private final List<List<SourceMemory>> sources = new ArrayList<>();
  private final List<List<MemoryRegion>> targets = new ArrayList<>();
  private final List<MemoryRegion> registered = new ArrayList<>();

  Rig(Cluster cluster, RoutingTable table, RunOptions.Builder options) {
    this(cluster, table, rank -> options);
  }

  Rig(Cluster cluster, RoutingTable table, IntFunction<RunOptions.Builder> options) {
    this.cluster = cluster;
    this.table = table;
    for (int rank = 0; rank < table.targets().size(); rank++) {
      TransferEngine engine = cluster.target(rank);
      List<MemorySegment> segments = new ArrayList<>();
      List<MemoryRegion> regions = new ArrayList<>();
      for (RegionSpec spec : table.targets().get(rank).regions()) {
        segments.add(arena.allocate(spec.bytes(), 64));
        regions.add(register(engine, segments.getLast(), Access.REMOTE_WRITE));
      }
      targetMemory.add(segments);
      targets.add(regions);
      arrivals.add(engine.lease());
    }
    int count = table.sources().size();
    for (int rank = 0; rank < count; rank++) {
      TransferEngine engine = cluster.trainer(rank);
      List<MemorySegment> segments = new ArrayList<>();
      List<SourceMemory> regions = new ArrayList<>();
      for (RegionSpec spec : table.sources().get(rank).regions()) {
        MemorySegment segment = arena.allocate(spec.bytes(), 64);
        segments.add(segment);
        regions.add(
            spec.isRegistered()
                ? SourceMemory.of(register(engine, segment, Access.LOCAL))
                : SourceMemory.loaded(segment));
      }
      sourceMemory.add(segments);
      sources.add(regions);
      RunOptions ofRank = options.apply(rank).trainers(cluster.addresses(count)).build();
      trainers.add(
          Cluster.await(TrainerRank.open(engine, table.only(rank), rank, regions, ofRank)));
    }
  }

  private MemoryRegion register(TransferEngine engine, MemorySegment memory, Access access) {
    MemoryRegion region = Cluster.await(engine.register(new HostMemory(memory), access));
    registered.add(region);
    return region;
  }

  /** The trainer computes other weights, and what the inference ranks have is forgotten. */
  void fill(ModelBytes bytes) {
    for (int rank = 0; rank < sourceMemory.size(); rank++) {
      for (int i = 0; i < sourceMemory.get(rank).size(); i++) {
        byte[] content = bytes.sources.get(rank)[i];
        MemorySegment.copy(
            content, 0, sourceMemory.get(rank).get(i), ValueLayout.JAVA_BYTE, 0, content.length);
      }
    }
    targetMemory.forEach(regions -> regions.forEach(region -> region.fill((byte) 0)));
  }

  /** The regions of a rank of the trainer. */
  List<SourceMemory> memory(int rank) {
    return sources.get(rank);
  }

  /** Where an update goes, as a rank of the trainer sees it. */
  UpdateTargets targets(int trainer, long number) {
    List<TargetMemory> all = new ArrayList<>();
    for (int rank = 0; rank < targets.size(); rank++) {
      List<RemoteRegion> regions = new ArrayList<>();
      for (MemoryRegion region : targets.get(rank)) {
        regions.add(cluster.trainer(trainer).remote(region.descriptor()));
      }
      all.add(new TargetMemory(regions, arrivals.get(rank).imm()));
    }
    return new UpdateTargets(number, all);
  }

  /** One update by all ranks of the trainer; the last progress of each. */
  Mono<List<RunProgress>> update(long number) {
    List<Mono<RunProgress>> runs = new ArrayList<>();
    for (int rank = 0; rank < trainers.size(); rank++) {
      runs.add(trainers.get(rank).write(targets(rank, number)).last());
    }
    return Flux.mergeSequential(runs).collectList();
  }

  /** Waits until each inference rank has counted all, and looks at every byte. */
  void requireArrived(ModelBytes bytes) {
    long[] counts = table.arrivals();
    for (int rank = 0; rank < counts.length; rank++) {
      if (counts[rank] > 0) {
        arrivals.get(rank).counter().next(counts[rank]).block(Cluster.PATIENCE);
      }
    }
    requireWritten(bytes);
  }

  void requireWritten(ModelBytes bytes) {
    for (int rank = 0; rank < targetMemory.size(); rank++) {
      for (int i = 0; i < targetMemory.get(rank).size(); i++) {
        assertThat(targetMemory.get(rank).get(i).toArray(ValueLayout.JAVA_BYTE))
            .as("region %s of target %s", i, rank)
            .isEqualTo(bytes.targets.get(rank)[i]);
      }
    }
  }

  /** What came of an update that failed must not count for the next one. */
  void discard() {
    arrivals.forEach(lease -> lease.counter().discard().block(Cluster.PATIENCE));
  }

  /** With other immediates at all targets, as after a run that failed. */
  void renewImmediates() {
    for (int rank = 0; rank < arrivals.size(); rank++) {
      arrivals.get(rank).close();
      arrivals.set(rank, cluster.target(rank).lease());
    }
  }

  @Override
  public void close() {
    trainers.forEach(trainer -> trainer.close().block(Cluster.PATIENCE));
    arrivals.forEach(ImmLease::close);
    registered.forEach(region -> region.close().block(Cluster.PATIENCE));
    arena.close();
  }
}
