package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chapter 17, continued: memory that the CPU does not reach. */
abstract class DriverDeviceRules extends RuleGroup {

  /** A copy, a few parts, and more than a buffer for either. */
  private static final List<Integer> LENGTHS = List.of(0, 1, 4_097, 70_000, 300_001);

  private static final int ROOM = 7;

  DriverDeviceRules(TransferConformance kit) {
    super(kit);
  }

  private Wire wire() {
    return Wire.open(stage(), Wire.LENGTH, 0);
  }

  /** One that every bare NIC is given access to. */
  static FakeDevice device(Wire wire) {
    if (!wire.origin()
        .call(nic -> nic.capabilities())
        .devices()
        .containsAll(BareNic.DEVICE.devices())) {
      abort("the backend copies no memory of devices that it is given access to");
    }
    return BareNic.DEVICE;
  }

  private byte[] noise(int length) {
    byte[] bytes = new byte[length];
    stage().random().nextBytes(bytes);
    return bytes;
  }

  private MemorySegment host(byte[] bytes) {
    MemorySegment memory = stage().memory(bytes.length);
    return memory.copyFrom(MemorySegment.ofArray(bytes));
  }

  /** Writes all but some bytes at both ends, and returns when it has come with its immediate. */
  private static void write(Wire wire, Memory source, Memory target, long token) {
    LocalMemory from = wire.origin().register(source, Access.LOCAL);
    LocalMemory to = wire.target().register(target, Access.REMOTE_WRITE);
    RemoteMemory remote =
        wire.origin().call(nic -> nic.resolve(wire.ends().peer(), to.key(), target.length()));
    long length = source.length() - 2 * ROOM;
    long max = Math.max(1, wire.atMost(length));
    long begin = 0;
    for (; length - begin > max; begin += max) {
      long part = -token * length - begin;
      Operation op =
          new Operation().between(from, remote).range(ROOM + begin, ROOM + begin, max).token(part);
      wire.post(op);
      wire.until("a part", () -> wire.origin().hasReported("written " + part));
    }
    Operation last =
        new Operation()
            .between(from, remote)
            .range(ROOM + begin, ROOM + begin, length - begin)
            .token(token)
            .withImm((int) token);
    wire.post(last);
    wire.until("its immediate", () -> wire.target().hasReported("imm " + token));
    wire.until("its report", () -> wire.origin().hasReported("written " + token));
    wire.origin().deregister(from);
    wire.target().deregister(to);
  }

  @Test
  final void r17_24_memoryOfDeclaredDevicesIsReadAndWritten() {
    Wire wire = wire();
    FakeDevice device = device(wire);
    long token = 1;
    for (int length : LENGTHS) {
      byte[] bytes = noise(length + 2 * ROOM);
      byte[] before = noise(bytes.length);
      byte[] after = before.clone();
      System.arraycopy(bytes, ROOM, after, ROOM, length);
      DeviceMemory source = device.allocate(bytes.length);
      device.write(source, bytes);
      DeviceMemory target = device.allocate(bytes.length);
      device.write(target, before);
      write(wire, source, target, token++);
      assertThat(Arrays.equals(device.read(target), after))
          .as("whether %s bytes came from a device to a device", length)
          .isTrue();
      MemorySegment host = host(before);
      write(wire, source, new HostMemory(host), token++);
      assertThat(Arrays.equals(host.toArray(ValueLayout.JAVA_BYTE), after))
          .as("whether %s bytes came from a device to the host", length)
          .isTrue();
      device.write(target, before);
      write(wire, new HostMemory(host(bytes)), target, token++);
      assertThat(Arrays.equals(device.read(target), after))
          .as("whether %s bytes came from the host to a device", length)
          .isTrue();
      assertThat(Arrays.equals(device.read(source), bytes)).as("whether a source stayed").isTrue();
    }
  }

  @Test
  final void r17_25_memoryOfOtherDevicesIsRefused() {
    Wire wire = wire();
    DeviceMemory nowhere = new DeviceMemory(Device.of("no-such-kind", 3), 4_096, 64);
    assertThat(wire.origin().call(nic -> nic.capabilities()).devices())
        .as("devices that it declares")
        .doesNotContain(nowhere.device());
    RuntimeException[] refusal = new RuntimeException[1];
    try {
      wire.origin().register(nowhere, Access.LOCAL);
    } catch (RuntimeException e) {
      refusal[0] = e;
    }
    assertThat(refusal[0])
        .as("what comes of registering memory of a device that it does not declare")
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("no-such-kind");
    wire.connect();
  }

  @Test
  final void r17_26_aDeviceThatRefusesFailsThatWriteOnly() {
    Wire wire = wire();
    FakeDevice device = device(wire);
    wire.connect();
    int token = 0;
    for (int length : new int[] {100, (int) wire.atMost(70_000)}) {
      DeviceMemory gone = device.allocate(length);
      LocalMemory source = wire.origin().register(gone, Access.LOCAL);
      LocalMemory target = wire.target().register(gone, Access.REMOTE_WRITE);
      RemoteMemory remote =
          wire.origin().call(nic -> nic.resolve(wire.ends().peer(), target.key(), length));
      device.free(gone);
      LocalMemory good =
          wire.origin().register(new HostMemory(stage().memory(length)), Access.LOCAL);
      LocalMemory room =
          wire.target().register(new HostMemory(stage().memory(length)), Access.REMOTE_WRITE);
      RemoteMemory there =
          wire.origin().call(nic -> nic.resolve(wire.ends().peer(), room.key(), length));
      expectFailure(wire, source, there, length, ++token);
      expectFailure(wire, good, remote, length, ++token);
      String done = "written " + ++token;
      wire.post(new Operation().between(good, there).range(0, 0, length).token(token));
      wire.until("a write that no device refuses", () -> wire.origin().hasReported(done));
    }
    expectFailureMidway(wire, device, ++token);
    assertThat(wire.origin().reports()).noneMatch(report -> report.startsWith("lost"));
    assertThat(wire.target().reports()).noneMatch(report -> report.startsWith("imm"));
  }

  /** The end of the source is not there: a NIC may find that when it has sent the beginning. */
  private void expectFailureMidway(Wire wire, FakeDevice device, int token) {
    int length = (int) wire.atMost(300_000);
    DeviceMemory begin = device.allocate(Math.ceilDiv(length, 3));
    DeviceMemory all = new DeviceMemory(begin.device(), begin.address(), length);
    LocalMemory source = wire.origin().register(all, Access.LOCAL);
    MemorySegment host = stage().memory(length);
    LocalMemory good = wire.origin().register(new HostMemory(host), Access.LOCAL);
    LocalMemory room =
        wire.target().register(new HostMemory(stage().memory(length)), Access.REMOTE_WRITE);
    RemoteMemory there =
        wire.origin().call(nic -> nic.resolve(wire.ends().peer(), room.key(), length));
    // Of other lengths: whether ends of alike writes are mixed up is another question.
    wire.post(new Operation().between(good, there).range(0, 0, length - 1).token(token + 1));
    expectFailure(wire, source, there, length, token);
    wire.post(new Operation().between(good, there).range(0, 0, length - 2).token(token + 2));
    for (String done : List.of("written " + (token + 1), "written " + (token + 2))) {
      wire.until("the writes before and behind it", () -> wire.origin().hasReported(done));
    }
  }

  private static void expectFailure(
      Wire wire, LocalMemory source, RemoteMemory target, int length, int token) {
    wire.post(
        new Operation().between(source, target).range(0, 0, length).token(token).withImm(token));
    String failed = "failed " + token;
    String written = "written " + token;
    wire.until(
        "a report of a write that a device refuses",
        () -> wire.origin().hasReported(failed) || wire.origin().hasReported(written));
    assertThat(wire.origin().reports())
        .as("reports, when a device has refused write %s", token)
        .contains(failed)
        .doesNotContain(written);
  }
}
