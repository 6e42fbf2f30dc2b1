package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.Nic;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The NIC reads and writes memory of accelerators by itself. */
@Timeout(30)
class DeviceMemoryTest {

  /** Neither begins nor ends with a page. */
  private static final int OFFSET = 4_096 + 100;

  private static final int LENGTH = 100_000;
  private static final int SECOND = 2 * LENGTH;

  private final FakeVerbs fake = new FakeVerbs(2);
  private final Arena arena = Arena.ofShared();
  private final ExportingDevice device = new ExportingDevice(fake, arena, 4 * LENGTH);
  private TwoNics nics;

  @BeforeEach
  void open() {
    nics = FakeNics.open(fake, fake, Devices.of(List.of(device)));
  }

  @AfterEach
  void leavesNothing() {
    assertThat(nics.close()).isTrue();
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
    assertThat(fake.exported()).as("descriptors that are open").isEmpty();
    arena.close();
  }

  private LocalMemory source(Memory memory) {
    return TwoNics.join(nics.origin().register(memory, Access.LOCAL));
  }

  private LocalMemory target(Memory memory) {
    return TwoNics.join(nics.target().register(memory, Access.REMOTE_WRITE));
  }

  private RemoteMemory named(LocalMemory memory) {
    return nics.named(memory, LENGTH);
  }

  private DeviceMemory first() {
    DeviceMemory memory = device.memory(OFFSET, LENGTH);
    device.bytes(memory).fill((byte) 7);
    return memory;
  }

  private DeviceMemory second() {
    return device.memory(SECOND + OFFSET, LENGTH);
  }

  @Test
  void theWayThatIsToldIsTheOneThatIsTaken() {
    IbverbsBackend backend =
        new IbverbsBackend(IbverbsBackend.builder(), () -> new VerbsLibrary("the fake", fake));
    Nic nic = backend.nics().getFirst();
    assertThat(backend.wayTo(nic, ExportingDevice.DEVICE, device)).isEqualTo(DeviceWay.DMA_BUF);
    fake.knowsDmaBufs(false);
    assertThat(backend.wayTo(nic, ExportingDevice.DEVICE, device)).isEqualTo(DeviceWay.NONE);
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> source(first()))
        .withMessageContaining("ibv_reg_dmabuf_mr");
    device.ways = Set.of(DeviceWay.DMA_BUF, DeviceWay.PEER_MEMORY);
    assertThat(backend.wayTo(nic, ExportingDevice.DEVICE, device)).isEqualTo(DeviceWay.PEER_MEMORY);
    device.ways = Set.of();
    assertThat(backend.wayTo(nic, ExportingDevice.DEVICE, device)).isEqualTo(DeviceWay.NONE);
  }

  @Test
  void isDeclared() {
    assertThat(nics.origin().capabilities().devices())
        .containsExactlyInAnyOrder(Device.HOST, ExportingDevice.DEVICE);
  }

  /** Short ones, too, which are copied where the CPU can. */
  @Test
  void isReadAndWritten() {
    LocalMemory source = source(first());
    DeviceMemory to = second();
    RemoteMemory target = named(target(to));
    for (int length : new int[] {1, 64, 65, LENGTH}) {
      device.bytes(to).fill((byte) 0);
      nics.write(source, target, 1, i -> 0, length, true);
      assertThat(device.bytes(to).mismatch(device.bytes(first())))
          .as("bytes of %s", length)
          .isEqualTo(length == LENGTH ? -1 : length);
    }
    assertThat(nics.atOrigin().count("written")).isEqualTo(4);
  }

  @Test
  void seesWhatWasWrittenBeforeItIsCounted() {
    RemoteMemory target = named(target(second()));
    LocalMemory source = nics.source(arena.allocate(LENGTH));
    int before = device.flushes;
    List<Long> counted = new ArrayList<>();
    device.atFlush = () -> counted.add(nics.atTarget().count("imm"));
    nics.write(source, target, 1, i -> 0, LENGTH, true);
    nics.until("its immediate", () -> nics.atTarget().has("imm"));
    assertThat(device.flushes).isEqualTo(before + 1);
    assertThat(counted).as("immediates that were counted when it was asked").containsExactly(0L);
  }

  @Test
  void isNotAskedWhereNothingWasWrittenToIt() {
    nics.write(
        source(first()),
        nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH),
        1,
        i -> 0,
        LENGTH,
        true);
    nics.until("its immediate", () -> nics.atTarget().has("imm"));
    assertThat(device.flushes).isZero();
  }

  @Test
  void isRevokedAndClosedLikeAnyOther() {
    LocalMemory source = source(first());
    LocalMemory local = target(second());
    RemoteMemory old = named(local);
    LocalMemory renewed = TwoNics.join(nics.target().revoke(local));
    nics.write(source, old, 1, i -> 0, LENGTH, false);
    nics.write(source, named(renewed), 1, i -> 0, LENGTH, false);
    assertThat(nics.atOrigin().reports()).containsExactly("refused 0", "written 1");
    TwoNics.join(nics.target().deregister(renewed));
    nics.write(source, named(renewed), 1, i -> 0, LENGTH, false);
    assertThat(nics.atOrigin().reports()).endsWith("refused 2");
  }

  /** As nvidia-peermem has it: the kernel knows what is at that address. */
  @Test
  void isNamedByItsAddressWhereItIsNotExported() {
    device.refusesExport = true;
    MemorySegment known = arena.allocate(LENGTH).fill((byte) 5);
    LocalMemory source = source(new DeviceMemory(ExportingDevice.DEVICE, known.address(), LENGTH));
    MemorySegment to = arena.allocate(LENGTH);
    nics.write(source, nics.named(nics.openToOrigin(to), LENGTH), 1, i -> 0, LENGTH, false);
    assertThat(to.mismatch(known)).isEqualTo(-1);
  }

  @Test
  void isRefusedWhereNeitherCanBeDone() {
    device.refusesExport = true;
    int open = fake.open().size();
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> source(first()))
        .withMessageContaining("as a dma-buf: not exported")
        .withMessageContaining("by its address: ibv_reg_mr_iova2 failed with")
        .withMessageContaining("nvidia-peermem")
        .withMessageContaining("tcp");
    assertThat(fake.open()).hasSize(open);
  }

  @Test
  void isRefusedIfItCannotSeeWhatIsWritten() {
    device.refusesFlush = true;
    int open = fake.open().size();
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> target(second()))
        .withMessage("not flushed");
    assertThat(fake.open()).hasSize(open);
    device.refusesFlush = false;
  }

  @Test
  void isRefusedWhereNobodyReachesIt() {
    DeviceMemory nowhere = new DeviceMemory(Device.of("exporting", 1), 4_096, 64);
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> source(nowhere))
        .withMessageContaining("exporting:1");
  }

  /** Nobody knows any more what is in it; what is elsewhere goes on. */
  @Test
  void isClosedToOthersWhenItsDeviceFails() {
    LocalMemory host = nics.source(arena.allocate(LENGTH).fill((byte) 3));
    LocalMemory read = TwoNics.join(nics.origin().register(first(), Access.REMOTE_WRITE));
    LocalMemory local = target(second());
    RemoteMemory target = named(local);
    MemorySegment to = arena.allocate(LENGTH);
    RemoteMemory other = nics.named(nics.openToOrigin(to), LENGTH);
    nics.write(host, target, 1, i -> 0, LENGTH, false);
    int open = fake.open().size();
    device.refusesFlush = true;
    nics.write(host, other, 1, i -> 0, LENGTH, true);
    nics.until("the immediate of the other one", () -> nics.atTarget().has("imm 1"));
    nics.until("the end of its key", () -> fake.open().size() == open - 1);
    nics.write(host, target, 1, i -> 0, LENGTH, true);
    nics.write(host, other, 1, i -> 0, LENGTH, true);
    nics.write(read, other, 1, i -> 0, LENGTH, true);
    assertThat(nics.atOrigin().reports())
        .containsExactly("written 0", "written 1", "refused 2", "written 3", "written 4");
    nics.until("the immediates", () -> nics.atTarget().has("imm 4"));
    assertThat(nics.atTarget().reports()).doesNotContain("imm 2");
    assertThatExceptionOfType(BackendException.class).isThrownBy(() -> target(second()));
    device.refusesFlush = false;
  }
}
