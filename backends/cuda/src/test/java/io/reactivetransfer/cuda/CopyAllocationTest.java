package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A write from or to a GPU whose bytes are copied through the host makes no garbage. */
class CopyAllocationTest {

  private static final int WRITES = 200;
  private static final int ROUNDS = 6;

  /** Three parts of a lane. */
  private static final int LENGTH = 2 * CopyLane.HALF + 1_000;

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final LoopbackBackend backend =
      LoopbackBackend.builder().network(new LoopbackNetwork()).build();

  private Domain open(int engine) {
    return backend
        .open(
            backend.nics().getFirst(),
            OpenContext.builder(new EngineId(7, engine), 0, () -> {})
                .devices(Devices.of(List.of(new CudaAccess())))
                .build())
        .toCompletableFuture()
        .join();
  }

  private static LocalMemory register(Domain nic, Memory memory) {
    return nic.register(memory, Access.REMOTE_WRITE).toCompletableFuture().join();
  }

  /** To the same GPU its own copies go; to another one, those of both. */
  @ParameterizedTest
  @CsvSource({"true, false", "false, true", "true, true"})
  void aWriteAllocatesNothing(boolean fromGpu, boolean toGpu) {
    Domain origin = open(1);
    Domain target = open(2);
    Counter counter = new Counter();
    try (Arena arena = Arena.ofShared();
        CudaMemory source = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        CudaMemory sink = CudaMemory.allocate(Gpus.FIRST, LENGTH)) {
      HostMemory host = new HostMemory(arena.allocate(LENGTH));
      LocalMemory from = register(origin, fromGpu ? source.memory() : host);
      LocalMemory to = register(target, toGpu ? sink.memory() : host);
      RemoteMemory there =
          origin.resolve(origin.resolve(new EngineId(7, 2), 0, target.address()), to.key(), LENGTH);
      Operation op = new Operation().between(from, there).range(0, 0, LENGTH).token(1).withImm(2);
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long least = Long.MAX_VALUE;
      // As long as the compiler is at work, what it will remove is still allocated.
      for (int round = 0; round < ROUNDS && least >= WRITES; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        write(origin, target, op, counter);
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertThat(gpus.driver().calls("op.copy")).isPositive();
      assertThat(least).as("bytes for %s writes", WRITES).isLessThan(WRITES);
      origin.close();
      target.close();
    }
  }

  private static void write(Domain origin, Domain target, Operation op, Counter counter) {
    for (int i = 0; i < WRITES; i++) {
      int before = counter.written;
      if (!origin.post(op).isTaken()) {
        throw new AssertionError("refused");
      }
      while (counter.written == before) {
        target.poll(counter);
        origin.poll(counter);
      }
    }
  }

  private static final class Counter implements CompletionSink {
    private int written;

    @Override
    public void written(long token) {
      written++;
    }

    @Override
    public void failed(long token, int code, String text) {
      throw new AssertionError(text);
    }

    @Override
    public void immArrived(int imm, long bytes) {}

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      throw new AssertionError(text);
    }

    @Override
    public void nicFailed(int code, String text) {
      throw new AssertionError(text);
    }
  }
}
