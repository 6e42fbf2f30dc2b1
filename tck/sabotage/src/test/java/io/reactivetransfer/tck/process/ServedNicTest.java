package io.reactivetransfer.tck.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.tck.ForwardingDomain;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServedNicTest {

  /** More than a ring has room for. */
  private static final int MANY = 20_000;

  private static Domain loopback() {
    LoopbackBackend backend = new LoopbackBackend();
    OpenContext context = OpenContext.builder(new EngineId(7, 7), 0, () -> {}).build();
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
}
