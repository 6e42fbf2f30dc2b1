package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
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
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/**
 * What an engine throws when one group is done and the next begins ends the stream of writes as any
 * failure does: the engine says when nothing is out any more, and is not left with what was posted.
 */
@Timeout(60)
class BarrierThrowsTest {

  private static final int BYTES = 64;

  private final AtomicBoolean isCancelled = new AtomicBoolean();

  /** Two ranks of the trainer have a half each of two tensors, which are of two groups. */
  private static RoutingTable table() {
    Tensor first = new Tensor("a", DataType.INT8, Shape.of(2, BYTES));
    Tensor second = new Tensor("b", DataType.INT8, Shape.of(2, BYTES));
    Sharding halves = Sharding.replicated(Mesh.of("train", Mesh.axis("fsdp", 2))).split(0, "fsdp");
    RegionSpec half = RegionSpec.registered(BYTES);
    List<SourceRank> sources = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      sources.add(
          new SourceRank(
              Rank.of("trainer-" + rank, half, half),
              List.of(
                  new SourceShare(first, "g", halves.of(first, rank).pieces(0, 0)),
                  new SourceShare(second, "h", halves.of(second, rank).pieces(1, 0)))));
    }
    Sharding all = Sharding.replicated(Mesh.of("serve"));
    RegionSpec whole = RegionSpec.registered(2 * BYTES);
    TargetRank target =
        new TargetRank(
            Rank.of("rank-0", whole, whole),
            List.of(
                new TargetShare(first, Content.of("a"), all.of(first, 0).pieces(0, 0)),
                new TargetShare(second, Content.of("b"), all.of(second, 0).pieces(1, 0))));
    return Planner.create().plan(sources, List.of(target));
  }

  /** An engine whose barriers throw, and which says whether its writes were cancelled. */
  private TransferEngine withoutBarriers(TransferEngine engine) {
    return (TransferEngine)
        Proxy.newProxyInstance(
            TransferEngine.class.getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("barrier")) {
                throw new IllegalStateException("no barrier");
              }
              try {
                Object result = method.invoke(engine, arguments);
                return method.getName().equals("submit") && result instanceof Flux<?> writes
                    ? writes.doOnCancel(() -> isCancelled.set(true))
                    : result;
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  @Test
  void theWritesEndAsAfterAnyFailure() {
    try (Cluster cluster = Cluster.loopback();
        Arena arena = Arena.ofShared()) {
      TransferEngine engine = withoutBarriers(cluster.trainer(0));
      List<SourceMemory> sources = new ArrayList<>();
      TargetMemory target;
      List<MemoryRegion> there = new ArrayList<>();
      ImmLease lease = cluster.target(0).lease();
      for (int i = 0; i < 2; i++) {
        HostMemory half = new HostMemory(arena.allocate(BYTES, 64));
        sources.add(SourceMemory.of(Cluster.await(engine.register(half, Access.LOCAL))));
        HostMemory whole = new HostMemory(arena.allocate(2 * BYTES, 64));
        there.add(Cluster.await(cluster.target(0).register(whole, Access.REMOTE_WRITE)));
      }
      target =
          new TargetMemory(
              there.stream().map(region -> engine.remote(region.descriptor())).toList(),
              lease.imm());
      RunOptions options =
          RunOptions.builder().groupsInTurn(true).trainers(cluster.addresses(2)).build();
      TrainerRank trainer = Cluster.await(TrainerRank.open(engine, table(), 0, sources, options));
      assertThatThrownBy(() ->
              trainer.write(new UpdateTargets(1, List.of(target))).blockLast(Cluster.PATIENCE))
          .hasMessage("no barrier");
      assertThat(isCancelled).isFalse();
      assertThat(trainer.close().toFuture()).succeedsWithin(Cluster.PATIENCE);
    }
  }
}
