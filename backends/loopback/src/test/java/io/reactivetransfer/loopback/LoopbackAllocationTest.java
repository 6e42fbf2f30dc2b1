package io.reactivetransfer.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The path of a write makes no garbage. */
class LoopbackAllocationTest {

  private static final int WRITES = 200_000;

  private final LoopbackBackend backend =
      LoopbackBackend.builder().network(new LoopbackNetwork()).build();
  private final TestNic origin = TestNic.open(backend, 1);
  private final TestNic target = TestNic.open(backend, 2);
  private final RemoteMemory memory = origin.target(target);
  private final Operation op = origin.write(memory, 0, 64, 1).withImm(2);
  private final Counter counter = new Counter();

  @Test
  void aWriteAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    // As long as the compiler is at work, what it will remove is still allocated.
    write();
    write();
    long before = threads.getCurrentThreadAllocatedBytes();
    write();
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(counter.written).isEqualTo(3 * WRITES);
    assertThat(counter.arrived).isEqualTo(3 * WRITES);
    assertThat(allocated / (double) WRITES).as("bytes for each write").isLessThan(1);
  }

  @Test
  void rowsOfAListAllocateNothing() {
    op.gathering(new int[] {3, 1, 3, 0}, 0, 4, 100, 16);
    aWriteAllocatesNothing();
  }

  private void write() {
    for (int i = 0; i < WRITES; i++) {
      if (!origin.domain.post(op).isTaken()) {
        throw new AssertionError("refused");
      }
      target.domain.poll(counter);
      origin.domain.poll(counter);
    }
  }

  private static final class Counter implements CompletionSink {
    private int written;
    private int arrived;

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
    public void peerLost(EngineId peer, int code, String text) {
      throw new AssertionError(text);
    }

    @Override
    public void nicFailed(int code, String text) {
      throw new AssertionError(text);
    }
  }
}
