package io.reactivetransfer.tck.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.tck.ForwardingDomain;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ServedNicTest {

  /** More than a ring has room for. */
  private static final int MANY = 20_000;

  private static Domain loopback() {
    return loopback(new LoopbackBackend(), 7);
  }

  private static Domain loopback(LoopbackBackend backend, int engine) {
    OpenContext context = OpenContext.builder(new EngineId(engine, engine), 0, () -> {}).build();
    return backend.open(backend.nics().getFirst(), context).toCompletableFuture().join();
  }

  /** Has a lot to report, which nobody takes. */
  private static final class Talkative extends ForwardingDomain {
    Talkative(Domain inner) {
      super(inner);
    }

    @Override
    public int poll(CompletionSink sink) {
      for (int i = 0; i < MANY; i++) {
        sink.written(i);
      }
      return MANY;
    }
  }

  private static List<Kind> taken(Ring ring) {
    List<Kind> kinds = new ArrayList<>();
    for (ByteBuffer report = ring.poll(); report != null; report = ring.poll()) {
      kinds.add(Kind.of(report));
    }
    return kinds;
  }

  @Test
  void theAnswerToACloseComesWhenThereIsRoomForIt() throws Exception {
    Path file = SharedMemory.createFile();
    try {
      SharedMemory memory = SharedMemory.map(file);
      ServedNic nic = new ServedNic(new Talkative(loopback()), memory, 0);
      nic.turn();
      assertThat(memory.requests(0).offer(Kind.CLOSE.begin().flip())).isTrue();
      nic.turn();
      assertThat(nic.isClosed()).as("whether it is closed without an answer").isFalse();
      assertThat(taken(memory.reports(0))).containsOnly(Kind.WRITTEN);
      nic.turn();
      assertThat(taken(memory.reports(0))).containsExactly(Kind.DONE);
      assertThat(nic.isClosed()).isTrue();
    } finally {
      Files.delete(file);
    }
  }

  /** Both ends of the rings are in this process. */
  @Test
  void rowsOfAListCrossTheBorderInItsOrder() throws Exception {
    Path file = SharedMemory.createFile();
    try {
      SharedMemory memory = SharedMemory.map(file);
      LoopbackBackend backend = new LoopbackBackend();
      Domain target = loopback(backend, 8);
      Domain origin = loopback(backend, 9);
      ServedNic served = new ServedNic(origin, memory, 0);
      AtomicBoolean ends = new AtomicBoolean();
      Thread serving =
          new Thread(() -> {
            while (!ends.get()) {
              served.turn();
            }
          });
      serving.start();
      try {
        ProxyDomain proxy = proxy(memory);
        MemorySegment from = memory.allocate(1_000, 8);
        MemorySegment to = memory.allocate(1_000, 8);
        for (int i = 0; i < 1_000; i++) {
          from.set(ValueLayout.JAVA_BYTE, i, (byte) (i / 10));
        }
        LocalMemory source = registered(proxy, from);
        byte[] key = registered(target, to).key();
        RemotePeer peer = proxy.resolve(new EngineId(8, 8), 0, target.address());
        int[] list = {99, 4, 0, 90, 4, 99};
        Operation op =
            new Operation()
                .between(source, proxy.resolve(peer, key, 1_000))
                .range(10, 100, 8)
                .gathering(list, 1, 4, 10, 5)
                .withImm(3)
                .token(2);
        assertThat(proxy.post(op).isTaken()).isTrue();
        Arrays.fill(list, 1);
        RecordingSink sink = new RecordingSink();
        while (!sink.hasBoth()) {
          target.poll(sink);
          proxy.poll(sink);
        }
        byte[] expected = new byte[1_000];
        int[] rows = {5, 1, 91, 5};
        for (int i = 0; i < rows.length; i++) {
          Arrays.fill(expected, 100 + 5 * i, 102 + 5 * i, (byte) rows[i]);
        }
        assertThat(to.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
      } finally {
        ends.set(true);
        serving.join();
        origin.close();
        target.close();
      }
    } finally {
      Files.delete(file);
    }
  }

  private static ProxyDomain proxy(SharedMemory memory) {
    Capabilities capabilities = Capabilities.builder(1 << 20, 16).maxRows(8).maxGather(8).build();
    return new ProxyDomain(memory, 0, capabilities, new byte[1], () -> true, () -> {});
  }

  private static LocalMemory registered(Domain nic, MemorySegment what) {
    return nic.register(new HostMemory(what), Access.REMOTE_WRITE).toCompletableFuture().join();
  }

  /** Waits for a report and an immediate. */
  private static final class RecordingSink implements CompletionSink {
    private boolean written;
    private boolean arrived;

    boolean hasBoth() {
      return written && arrived;
    }

    @Override
    public void written(long token) {
      assertThat(token).isEqualTo(2);
      written = true;
    }

    @Override
    public void failed(long token, int code, String text) {
      throw new AssertionError(text);
    }

    @Override
    public void immArrived(int imm, long bytes) {
      assertThat(imm).isEqualTo(3);
      arrived = true;
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
