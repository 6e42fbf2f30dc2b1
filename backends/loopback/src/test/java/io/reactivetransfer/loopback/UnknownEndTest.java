package io.reactivetransfer.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Copies of which their accelerator does not say whether they are over. */
class UnknownEndTest {

  private static final int LENGTH = 100;

  private static final EngineId ID = new EngineId(7, 2);

  /** A device that fails, and knows what became of that, or does not. */
  private static final class Card implements DeviceAccess {

    private final Device device = Device.of("card", 0);
    boolean isFailing;
    boolean isMute;

    DeviceMemory memory(long address) {
      return new DeviceMemory(device, address, LENGTH);
    }

    private void copy() {
      Throwable cause = new IllegalStateException("as a test wants it");
      if (isMute) {
        throw BackendException.ofUnknownEnd(999, "it does not say", cause);
      }
      if (isFailing) {
        throw new BackendException(700, "illegal address", cause);
      }
    }

    @Override
    public Availability availability() {
      return Availability.available();
    }

    @Override
    public List<Device> devices() {
      return List.of(device);
    }

    @Override
    public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
      copy();
    }

    @Override
    public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
      copy();
    }

    @Override
    public void copy(DeviceMemory from, long at, DeviceMemory to, long toAt, long length) {
      copy();
    }

    @Override
    public long peek(DeviceMemory memory, long offset) {
      return 0;
    }
  }

  /** Whether a write was refused for certain. */
  private record Ends(List<String> reports) implements CompletionSink {

    @Override
    public void written(long token) {
      reports.add("written " + token);
    }

    @Override
    public void failed(long token, int code, String text) {
      reports.add("failed " + token);
    }

    @Override
    public void refused(long token, int code, String text) {
      reports.add("refused " + token);
    }

    @Override
    public void immArrived(int imm, long bytes) {
      throw new AssertionError(imm);
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

  private final Card card = new Card();
  private final LoopbackBackend backend =
      LoopbackBackend.builder().network(new LoopbackNetwork()).build();
  private final TestNic host = TestNic.open(backend, 1);
  private final RecordingSink sink = new RecordingSink();
  private final Domain domain =
      backend
          .open(
              backend.nics(8).getFirst(),
              OpenContext.builder(ID, 0, () -> {})
                  .nicDepth(1_024)
                  .devices(Devices.of(List.of(card)))
                  .build())
          .toCompletableFuture()
          .join();
  private final LocalMemory memory = register(4_096);
  private final LocalMemory other = register(8_192);

  private LocalMemory register(long address) {
    return domain.register(card.memory(address), Access.REMOTE_WRITE).toCompletableFuture().join();
  }

  private String writeToDevice() {
    RemotePeer peer = host.domain.resolve(ID, 0, domain.address());
    RemoteMemory to = host.domain.resolve(peer, memory.key(), LENGTH);
    Operation op = new Operation().between(host.memory, to).range(0, 0, LENGTH).token(1);
    assertThat(host.domain.post(op.withImm(1)).isTaken()).isTrue();
    domain.poll(sink);
    List<String> ends = new ArrayList<>();
    host.domain.poll(new Ends(ends));
    return ends.getFirst();
  }

  private void assertIsKept() {
    for (CompletableFuture<?> ended :
        List.of(
            domain.revoke(memory).toCompletableFuture(),
            domain.deregister(memory).toCompletableFuture())) {
      assertThat(ended).isCompletedExceptionally();
      assertThat(ended.exceptionNow())
          .isInstanceOf(BackendException.class)
          .hasMessageContainingAll("card:0", "it does not say");
    }
    assertThat(domain.deregister(other).toCompletableFuture()).isCompletedWithValue(null);
    assertThatThrownBy(domain::close)
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("it does not say");
  }

  @Test
  void aWriteThatMayStillComeIsNotRefusedForCertain() {
    card.isMute = true;
    assertThat(writeToDevice()).startsWith("failed 1");
    card.isMute = false;
    assertIsKept();
    assertThat(sink.take()).as("immediates").isEmpty();
  }

  @Test
  void aSourceThatMayStillBeReadIsNotLetGoOf() {
    RemotePeer peer = domain.resolve(host.id, 0, host.domain.address());
    RemoteMemory to = domain.resolve(peer, host.memory.key(), LENGTH);
    Operation op = new Operation().between(memory, to).range(0, 0, LENGTH).token(1);
    assertThat(domain.post(op).isTaken()).isTrue();
    card.isMute = true;
    host.poll();
    domain.poll(sink);
    card.isMute = false;
    assertIsKept();
    host.domain.close();
  }

  @Test
  void whatIsRefusedIsOver() {
    card.isFailing = true;
    assertThat(writeToDevice()).startsWith("refused 1");
    assertThat(domain.revoke(memory).toCompletableFuture()).isCompleted();
    domain.close();
  }
}
