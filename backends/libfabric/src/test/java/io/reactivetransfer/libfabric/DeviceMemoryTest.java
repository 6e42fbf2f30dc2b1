package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.ffm.Accelerators;
import io.reactivetransfer.libfabric.FabricMemory.Target;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.libfabric.ffi.TapLibFabric;
import io.reactivetransfer.libfabric.ffi.TapLibFabric.RegisteredOfDevice;
import io.reactivetransfer.libfabric.ffi.TapLibFabric.Written;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.tck.driver.Recorder;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A card that reads and writes memory of GPUs by itself, as libfabric has it described. */
class DeviceMemoryTest {

  private static final Device GPU = Device.of("cuda", 3);
  private static final int CARD = Fi.FI_MR_VIRT_ADDR | Fi.FI_MR_PROV_KEY | Fi.FI_MR_HMEM;
  private static final DeviceMemory MEMORY = new DeviceMemory(GPU, 0x00ff_0000_0000_1000L, 5_000);

  private final Arena arena = Arena.ofShared();
  private final TapLibFabric tap = new TapLibFabric();
  private final OpenToNics gpu = new OpenToNics(GPU);
  private final Accelerators accelerators = new Accelerators(Devices.of(List.of(gpu)));
  private final OpenFabric fabric = fabric(TapLibFabric.reachingDevices(card()));
  private final Links links = new DatagramLinks(fabric, arena, false);
  private final Regions regions = regions(fabric, accelerators);
  private final Writes writes = new Writes(fabric, accelerators, arena, links, 8, 1_000);
  private final Recorder sink = new Recorder();

  private FiInfo card() {
    return TapLibFabric.info(arena, CARD, 8, 8, 0);
  }

  private OpenFabric fabric(FiInfo info) {
    return new OpenFabric(tap.lib(), info, arena);
  }

  private Regions regions(OpenFabric of, Accelerators reached) {
    return new Regions(of, reached, links, new RandomKeys(), false);
  }

  @AfterEach
  void free() {
    arena.close();
  }

  private int poll() {
    return writes.poll(
        sink,
        new Writes.Handler() {
          @Override
          public void failed(Route route, Failure failure) {}

          @Override
          public void ended(Route route, Failure failure, CompletionSink to) {}
        });
  }

  @Test
  void isRegisteredAsWhatItIs() {
    FabricMemory memory = regions.register(MEMORY, Access.REMOTE_WRITE);
    assertThat(tap.registered()).as("of the host").isEmpty();
    List<RegisteredOfDevice> registered = tap.registeredOfDevices();
    assertThat(registered).extracting(RegisteredOfDevice::kind).containsOnly(Fi.FI_HMEM_CUDA);
    assertThat(registered).extracting(RegisteredOfDevice::ordinal).containsOnly(3);
    assertThat(registered)
        .extracting(each -> each.memory().address(), each -> each.memory().length())
        .containsOnly(tuple(MEMORY.address(), MEMORY.length()));
    assertThat(registered)
        .as("to be read, though the host's needs no registration for that, and to be written")
        .extracting(each -> each.memory().access())
        .containsExactly(Fi.FI_WRITE, Fi.FI_REMOTE_WRITE);
    assertThat(memory.desc()).isEqualTo(TapLibFabric.DESC + memory.source());
    assertThat(Objects.requireNonNull(memory.target()).base).isEqualTo(MEMORY.address());
  }

  /** The library would read what is injected by the CPU. */
  @Test
  void isSentByItsDescriptorAndNeverInjected() {
    FabricMemory memory = regions.register(MEMORY, Access.LOCAL);
    Route route = new Route(new FabricPeer(new EngineId(1, 2)), new Token(5, 6));
    route.open(new byte[] {7}, 0, 8, MEMORY.length());
    Operation op = new Operation().between(memory, route).range(10, 20, 30).token(1);
    assertThat(writes.post(op, route)).isEqualTo(Writes.Posted.TAKEN);
    Written written = tap.written().getFirst();
    assertThat(written.from()).isEqualTo(MEMORY.address() + 10);
    assertThat(written.desc()).isEqualTo(memory.desc());
    assertThat(written.flags() & Fi.FI_INJECT).isZero();
  }

  @Test
  void isRevokedUnderTheSameDevice() {
    FabricMemory memory = regions.register(MEMORY, Access.REMOTE_WRITE);
    FabricMemory renamed = regions.revoke(memory);
    assertThat(tap.registeredOfDevices()).hasSize(3);
    assertThat(tap.registeredOfDevices().getLast().ordinal()).isEqualTo(3);
    assertThat(tap.registeredOfDevices().getLast().memory().access()).isEqualTo(Fi.FI_REMOTE_WRITE);
    regions.remove(renamed);
    assertThat(tap.registrations()).isZero();
  }

  @Test
  void seesWhatWasWrittenBeforeItIsCounted() {
    Target _ = regions.register(MEMORY, Access.REMOTE_WRITE).target();
    int before = gpu.flushes;
    List<Long> counted = new ArrayList<>();
    gpu.atFlush = () -> counted.add(sink.count("imm"));
    tap.arrives(1);
    tap.arrives(2);
    poll();
    assertThat(sink.count("imm")).isEqualTo(2);
    assertThat(gpu.flushes).as("times that it was asked").isEqualTo(before + 1);
    assertThat(counted).as("immediates that were counted when it was asked").containsExactly(0L);
    poll();
    assertThat(gpu.flushes).as("times, where nothing has come").isEqualTo(before + 1);
  }

  @Test
  void isNotAskedWhereOthersCannotWriteToIt() {
    FabricMemory _ = regions.register(MEMORY, Access.LOCAL);
    tap.arrives(1);
    poll();
    assertThat(sink.count("imm")).isOne();
    assertThat(gpu.flushes).isZero();
  }

  /** Nobody knows any more what is in it. */
  @Test
  void isClosedToOthersWhenItsDeviceFails() {
    FabricMemory memory = regions.register(MEMORY, Access.REMOTE_WRITE);
    Target target = Objects.requireNonNull(memory.target());
    gpu.refusesFlush = true;
    tap.arrives(1);
    poll();
    regions.closeFreed(System.nanoTime());
    assertThat(target.registration).isZero();
    assertThat(memory.isAlive()).isFalse();
    gpu.refusesFlush = false;
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> regions.register(MEMORY, Access.LOCAL))
        .withMessageContaining("that works, got some of cuda:3");
    assertThat(sink.count("imm")).as("of memory that is elsewhere, for all that is known").isOne();
  }

  @Test
  void isRefusedIfItCannotSeeWhatIsWritten() {
    gpu.refusesFlush = true;
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> regions.register(MEMORY, Access.REMOTE_WRITE))
        .withMessage("not flushed");
    assertThat(tap.registrations()).isZero();
  }

  @Test
  void isRefusedByACardThatReachesNone() {
    Regions others = regions(fabric(card()), accelerators);
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> others.register(MEMORY, Access.LOCAL))
        .withMessageContaining("cuda:3")
        .withMessageContaining("provider tap does not reach");
  }

  @Test
  void isRefusedOfAKindThatLibfabricHasNoNameFor() {
    Device other = Device.of("other", 0);
    DeviceMemory memory = new DeviceMemory(other, 4_096, 64);
    Accelerators reached = new Accelerators(Devices.of(List.of(new OpenToNics(other))));
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> regions(fabric, reached).register(memory, Access.LOCAL))
        .withMessageContaining("other:0");
    assertThat(DeviceKind.known(Devices.of(List.of(new OpenToNics(other), gpu))))
        .containsExactlyInAnyOrder(Device.HOST, GPU);
  }
}
