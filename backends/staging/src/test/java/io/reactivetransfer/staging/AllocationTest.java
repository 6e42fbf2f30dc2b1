package io.reactivetransfer.staging;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The path of a staged write makes no garbage, once there has been one. */
class AllocationTest {

  private static final int WRITES = 500;
  private static final int ROUNDS = 4;

  /** Three pieces. */
  private static final int LENGTH = 2 * Pinned.MOST_BYTES + 1_000;

  /** One side: counts what it is told, and has what it says heard at once. */
  private static final class Side implements CompletionSink {

    private final EngineId id;
    private final QuietDevice device = new QuietDevice();
    private final Domain domain;
    private Side other;
    private RemotePeer peer;
    private int written;
    private int arrived;

    Side(int number) {
      id = new EngineId(7, number);
      OpenContext context =
          OpenContext.builder(id, 0, () -> {}).devices(Devices.of(List.of(device))).build();
      domain =
          StagingDomain.before(
              new QuietNic(),
              () -> CompletableFuture.completedFuture(new QuietNic()),
              context,
              System::nanoTime);
    }

    void meet(Side met) {
      other = met;
      peer = domain.resolve(met.id, 0, met.domain.address());
    }

    LocalMemory register(Memory memory) {
      return domain.register(memory, Access.REMOTE_WRITE).toCompletableFuture().join();
    }

    @Override
    public void written(long token) {
      written++;
    }

    @Override
    public void failed(long token, int code, String text) {
      throw new AssertionError(text);
    }

    @Override
    public void immArrived(int imm, long bytes) {
      arrived++;
    }

    @Override
    public void toPeer(RemotePeer to, ByteBuffer message) {
      other.domain.fromPeer(other.peer, message);
    }

    @Override
    public void peerLost(EngineId lost, int code, String text) {
      throw new AssertionError(text);
    }

    @Override
    public void nicFailed(int code, String text) {
      throw new AssertionError(text);
    }
  }

  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true"})
  void aWriteAllocatesNothing(boolean fromDevice, boolean toDevice) {
    try (Arena arena = Arena.ofShared()) {
      Side origin = new Side(1);
      Side target = new Side(2);
      origin.meet(target);
      target.meet(origin);
      HostMemory host = new HostMemory(arena.allocate(LENGTH));
      LocalMemory from = origin.register(fromDevice ? origin.device.memory(LENGTH) : host);
      LocalMemory to = target.register(toDevice ? target.device.memory(LENGTH) : host);
      RemoteMemory there = origin.domain.resolve(origin.peer, to.key(), LENGTH);
      Operation op = new Operation().between(from, there).range(0, 0, LENGTH).token(1).withImm(2);

      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      // As long as the compiler is at work, what it will remove is still allocated.
      long least = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        write(origin, target, op);
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertThat(target.arrived).isEqualTo(ROUNDS * WRITES);
      assertThat(least).as("bytes for %s writes", WRITES).isLessThan(WRITES);
      origin.domain.close();
      target.domain.close();
    }
  }

  private static void write(Side origin, Side target, Operation op) {
    for (int i = 0; i < WRITES; i++) {
      int before = origin.written;
      if (!origin.domain.post(op).isTaken()) {
        throw new AssertionError("refused");
      }
      while (origin.written == before) {
        origin.domain.poll(origin);
        target.domain.poll(target);
      }
    }
  }
}
