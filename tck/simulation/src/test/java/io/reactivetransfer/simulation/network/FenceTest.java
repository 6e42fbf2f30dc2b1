package io.reactivetransfer.simulation.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WorkerLoop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What a simulated NIC may do with what is on its way to it. */
class FenceTest {

  private static final int SEEDS = 500;
  private static final int WRITES = 8;
  private static final int LENGTH = 16;
  private static final long LONG = 10_000_000;

  /** All of it happens on one thread. */
  static final WorkerLoop LOOP =
      new WorkerLoop() {
        @Override
        public boolean inLoop() {
          return true;
        }

        @Override
        public void execute(Runnable task) {
          task.run();
        }

        @Override
        public void schedule(Runnable task, long delayNanos) {
          throw new UnsupportedOperationException("nobody waits here");
        }

        @Override
        public CompletionStage<Void> close() {
          return CompletableFuture.completedStage(null);
        }
      };

  private static final class Arrivals implements CompletionSink {
    private int count;

    @Override
    public void written(long token) {}

    @Override
    public void failed(long token, int code, String text) {}

    @Override
    public void immArrived(int imm, long bytes) {
      count++;
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {}

    @Override
    public void nicFailed(int code, String text) {}
  }

  /** Writes of one NIC are on their way to another one. */
  private static final class Way {
    final VirtualTime time;
    final SimulatedNetwork network;
    final SimulatedDomain origin;
    final SimulatedDomain target;
    final Arrivals arrivals = new Arrivals();
    final MemorySegment memory = Arena.ofAuto().allocate(WRITES * LENGTH);

    Way(long seed) {
      time = new VirtualTime(seed);
      network = new SimulatedNetwork(time, Weather.calm(), new WireObserver() {}, seed);
      origin = open(0);
      target = open(1);
      MemorySegment bytes = Arena.ofAuto().allocate(WRITES * LENGTH);
      bytes.fill((byte) 1);
      LocalMemory source = register(origin, bytes, Access.LOCAL);
      byte[] key = register(target, memory, Access.REMOTE_WRITE).key();
      RemotePeer peer = origin.resolve(target.where().engine(), 0, target.address());
      RemoteMemory remote = origin.resolve(peer, key, memory.byteSize());
      for (int i = 0; i < WRITES; i++) {
        long at = (long) i * LENGTH;
        Operation op = new Operation().between(source, remote).range(at, at, LENGTH);
        assertThat(origin.post(op.token(i).withImm(i)).isTaken()).isTrue();
      }
    }

    private SimulatedDomain open(int place) {
      EngineId id = new EngineId(1, place);
      return network.open(OpenContext.builder(id, 0, () -> {}).loop(LOOP).build(), place);
    }

    private static LocalMemory register(SimulatedDomain nic, MemorySegment segment, Access access) {
      return nic.register(new HostMemory(segment), access).toCompletableFuture().join();
    }

    /** The target gives the origin up, and waits until that is done. */
    void fence() {
      RemotePeer peer = target.resolve(origin.where().engine(), 0, origin.address());
      CompletionStage<Void> fence = target.disconnect(peer, "a test");
      while (!fence.toCompletableFuture().isDone()) {
        target.poll(arrivals);
      }
    }

    void cut() {
      network.cut(origin.where().engine(), target.where().engine());
    }

    /** How many have arrived until now. */
    int arrived() {
      while (target.poll(arrivals) > 0) {
        continue;
      }
      return arrivals.count;
    }

    void pass(long nanos) {
      long until = time.nanos() + nanos;
      Long next;
      while ((next = time.nextNanos()) != null && next <= until) {
        time.step();
      }
    }
  }

  /** What the link carried when its target ended it is no exception. */
  @Test
  void nothingComesBehindAFence() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Way way = new Way(seed);
      way.pass(seed * 10);
      way.fence();
      expectNothingMore(seed, way);
    }
  }

  /** Nor is what it carried when it broke before, by itself. */
  @Test
  void nothingComesBehindAFenceOfALinkThatBroke() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Way way = new Way(seed);
      way.pass(seed * 5);
      way.cut();
      way.pass(seed * 5);
      way.fence();
      expectNothingMore(seed, way);
    }
  }

  /** Without a fence it does: else the two above would prove nothing. */
  @Test
  void whatABrokenLinkCarriedMayComeLate() {
    int late = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Way way = new Way(seed);
      way.cut();
      way.pass(LONG / 100);
      int before = way.arrived();
      way.pass(LONG);
      late += way.arrived() - before;
    }
    assertThat(late).isPositive();
  }

  private static void expectNothingMore(long seed, Way way) {
    int before = way.arrivals.count;
    byte[] bytes = way.memory.toArray(ValueLayout.JAVA_BYTE);
    way.pass(LONG);
    assertThat(way.arrived() - before).as("arrivals behind the fence, seed %d", seed).isZero();
    assertThat(way.memory.mismatch(MemorySegment.ofArray(bytes)))
        .as("byte that was written behind the fence, seed %d", seed)
        .isEqualTo(-1);
  }
}
