package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.Place;
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
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an update allocates after the first one does not depend on how many runs the table has. */
@Timeout(120)
class AllocationTest {

  private static final int WARM_UP = 30;
  private static final int UPDATES = 20;
  private static final int FEW = 64;
  private static final int MANY = 4096;
  private static final int ATTEMPTS = 3;
  private static final int ROW_BYTES = 64;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void noRunOfTheTableAllocates() {
    // Whatever else runs in this JVM allocates, too: less than the smallest object for each run.
    assertThat(bytesPerRun(false, false, 8)).isLessThan(8);
  }

  /** As under versions, whose keys and immediates are new for each update. */
  @Test
  void nothingIsAllocatedForNewKeysAndImmediates() {
    assertThat(bytesPerRun(true, false, 8)).isLessThan(8);
  }

  @Test
  void nothingIsAllocatedForRowsWithNewKeysAndImmediates() {
    assertThat(bytesPerRun(true, true, 8)).isLessThan(8);
  }

  private long bytesPerRun(boolean areNew, boolean inRows, long most) {
    long perRun = Long.MAX_VALUE;
    // What a run allocates is in each attempt, and what others do is not.
    for (int attempt = 0; attempt < ATTEMPTS && perRun >= most; attempt++) {
      long few = bytesPerUpdate(FEW, areNew, inRows);
      long many = bytesPerUpdate(MANY, areNew, inRows);
      perRun = (many - few) / (MANY - FEW);
    }
    return perRun;
  }

  /** Pieces that lie the other way round, so that each one is a run of its own. */
  private static RoutingTable table(int runs, boolean inRows) {
    Tensor tensor = new Tensor("w", DataType.INT8, Shape.of(runs, ROW_BYTES));
    Sharding all = Sharding.replicated(Mesh.of("train"));
    List<Piece> pieces = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      long offset = (runs - 1L - run) * ROW_BYTES;
      pieces.add(inRows ? halvesOfTwoRows(run, offset) : row(run, offset));
    }
    RegionSpec region = RegionSpec.registered(tensor.bytes());
    SourceShare share = new SourceShare(tensor, "g", all.of(tensor, 0).pieces(0, 0));
    return Planner.create()
        .plan(
            List.of(new SourceRank(Rank.of("trainer", region), List.of(share))),
            List.of(
                new TargetRank(
                    Rank.of("rank", region),
                    List.of(new TargetShare(tensor, Content.of("w"), pieces)))));
  }

  private static Piece row(int row, long offset) {
    Box box = Box.of(new long[] {row, 0}, new long[] {1, ROW_BYTES});
    return new Piece(box, Place.of(0, offset, new long[] {ROW_BYTES, 1}));
  }

  private static Piece halvesOfTwoRows(int run, long offset) {
    long half = ROW_BYTES / 2;
    Box box = Box.of(new long[] {run / 2 * 2L, run % 2 * half}, new long[] {2, half});
    return new Piece(box, Place.of(0, offset, new long[] {half, 1}));
  }

  private long bytesPerUpdate(int rows, boolean areNew, boolean inRows) {
    RoutingTable table = table(rows, inRows);
    assertThat(table.arrivals()).containsExactly(rows);
    try (Cluster cluster = Cluster.loopback();
        Arena arena = Arena.ofShared()) {
      TransferEngine to = cluster.target(0);
      TransferEngine from = cluster.trainer(0);
      long bytes = (long) rows * ROW_BYTES;
      MemoryRegion target =
          Cluster.await(to.register(new HostMemory(arena.allocate(bytes)), Access.REMOTE_WRITE));
      MemoryRegion source =
          Cluster.await(from.register(new HostMemory(arena.allocate(bytes)), Access.LOCAL));
      TrainerRank trainer =
          Cluster.await(
              TrainerRank.open(
                  from, table, 0, List.of(SourceMemory.of(source)), RunOptions.defaults()));
      ImmLease lease = to.lease();
      TargetMemory there = there(from, target, lease);
      long before = 0;
      for (int update = 1; update <= WARM_UP + UPDATES; update++) {
        if (update == WARM_UP + 1) {
          before = threads.getTotalThreadAllocatedBytes();
        }
        write(trainer, there, lease, update, rows);
        if (areNew) {
          lease.close();
          lease = to.lease();
          target.revoke().block(Cluster.PATIENCE);
          there = there(from, target, lease);
        }
      }
      long allocated = threads.getTotalThreadAllocatedBytes() - before;
      lease.close();
      trainer.close().block(Cluster.PATIENCE);
      source.close().block(Cluster.PATIENCE);
      target.close().block(Cluster.PATIENCE);
      return allocated / UPDATES;
    }
  }

  private static TargetMemory there(TransferEngine from, MemoryRegion target, ImmLease lease) {
    return new TargetMemory(List.of(from.remote(target.descriptor())), lease.imm());
  }

  private static void write(
      TrainerRank trainer, TargetMemory to, ImmLease lease, long update, int rows) {
    trainer.write(new UpdateTargets(update, List.of(to))).blockLast(Cluster.PATIENCE);
    lease.counter().next(rows).block(Cluster.PATIENCE);
  }
}
