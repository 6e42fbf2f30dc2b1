package io.reactivetransfer.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who copies from where to where; which bytes is the kit's to ask. */
class LoopbackDeviceTest {

  private static final long LENGTH = 200_000;

  private final List<String> copies = new ArrayList<>();

  /** A device that tells what it is asked for. */
  private record Card(Device device, List<String> copies) implements DeviceAccess {

    DeviceMemory memory() {
      return new DeviceMemory(device, 4_096, LENGTH);
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
      copies.add(device + " to host " + at + " " + toAt + " " + length);
    }

    @Override
    public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
      copies.add("host to " + device + " " + at + " " + toAt + " " + length);
    }

    @Override
    public void copy(DeviceMemory from, long at, DeviceMemory to, long toAt, long length) {
      copies.add(from.device() + " to " + to.device() + " " + at + " " + toAt + " " + length);
    }

    @Override
    public long peek(DeviceMemory memory, long offset) {
      return 0;
    }
  }

  private static LoopbackMemory registered(Memory memory, DeviceAccess... reached) {
    return LoopbackMemory.of(
        memory, Devices.of(List.of(reached)), Access.REMOTE_WRITE, new LoopbackNetwork().newKey());
  }

  private Card card(String kind) {
    return new Card(Device.of(kind, 0), copies);
  }

  /** Each engine has found an access of its own. */
  @Test
  void oneAccessCopiesByItself() {
    LoopbackMemory source = registered(card("a").memory(), card("a"));
    LoopbackMemory target = registered(card("a").memory(), card("a"));
    target.copyFrom(source, 7, 9, 150_000);
    assertThat(copies).containsExactly("a:0 to a:0 7 9 150000");
  }

  @Test
  void twoAccessesCopyThroughTheHost() {
    LoopbackMemory source = registered(card("a").memory(), card("a"));
    LoopbackMemory target = registered(card("b").memory(), card("b"));
    target.copyFrom(source, 7, 9, 65_537);
    assertThat(copies)
        .containsExactly(
            "a:0 to host 7 0 65536",
            "host to b:0 0 9 65536",
            "a:0 to host 65543 0 1",
            "host to b:0 0 65545 1");
  }

  @Test
  void theHostIsReachedAtOnce() {
    LoopbackMemory host = registered(new HostMemory(Arena.ofAuto().allocate(LENGTH)));
    LoopbackMemory device = registered(card("a").memory(), card("a"));
    host.copyFrom(device, 7, 9, 150_000);
    device.copyFrom(host, 7, 9, 150_000);
    assertThat(copies).containsExactly("a:0 to host 7 9 150000", "host to a:0 7 9 150000");
  }

  /** Each is waited for, so others have their turn in between. */
  @Test
  void rowsAreCopiedAFewAtATime() {
    Card card = card("a");
    LoopbackBackend backend = LoopbackBackend.builder().network(new LoopbackNetwork()).build();
    TestNic origin = TestNic.open(backend, 1);
    EngineId id = new EngineId(7, 2);
    OpenContext context =
        OpenContext.builder(id, 0, () -> {})
            .nicDepth(1_024)
            .devices(Devices.of(List.of(card)))
            .build();
    Domain target = backend.open(backend.nics(8).getFirst(), context).toCompletableFuture().join();
    LocalMemory memory =
        target.register(card.memory(), Access.REMOTE_WRITE).toCompletableFuture().join();
    RemoteMemory remote =
        origin.domain.resolve(origin.domain.resolve(id, 0, target.address()), memory.key(), LENGTH);
    int rows = 1_000;
    Operation op =
        new Operation().between(origin.memory, remote).range(0, 0, rows * 16L).token(1).withImm(1);
    assertThat(origin.domain.post(op.inRows(rows, 32, 48)).isTaken()).isTrue();

    RecordingSink sink = new RecordingSink();
    int most = 0;
    while (sink.take().isEmpty()) {
      int before = copies.size();
      assertThat(target.poll(sink)).isPositive();
      most = Math.max(most, copies.size() - before);
    }
    assertThat(most).isBetween(1, 16);
    assertThat(copies).hasSize(rows).doesNotHaveDuplicates().contains("host to a:0 32 48 16");
  }
}
