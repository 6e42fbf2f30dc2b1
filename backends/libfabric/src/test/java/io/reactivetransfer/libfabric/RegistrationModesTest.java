package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ffm.Accelerators;
import io.reactivetransfer.libfabric.FabricMemory.Target;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.TapLibFabric;
import io.reactivetransfer.libfabric.ffi.TapLibFabric.Registered;
import io.reactivetransfer.libfabric.ffi.TapLibFabric.Written;
import io.reactivetransfer.spi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How memory is registered and named in writes, as the provider says that it wants it. */
class RegistrationModesTest {

  /** What a card such as that of EFA says. */
  private static final int CARD =
      Fi.FI_MR_LOCAL | Fi.FI_MR_VIRT_ADDR | Fi.FI_MR_ALLOCATED | Fi.FI_MR_PROV_KEY;

  private static final long LENGTH = 100;
  private static final long PEER_BASE = 1L << 40;
  private static final long PEER_KEY = 77;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment segment = arena.allocate(LENGTH);
  private final TapLibFabric tap = new TapLibFabric();

  @AfterEach
  void free() {
    arena.close();
  }

  private OpenFabric fabric(int mrMode, long keyBytes, long immBytes, long completion) {
    return new OpenFabric(
        tap.lib(), TapLibFabric.info(arena, mrMode, keyBytes, immBytes, completion), arena);
  }

  private FabricMemory register(Regions regions, Access access) {
    return regions.register(new HostMemory(segment), access);
  }

  @Test
  void aCardHasAKeyOfItsOwnAnAddressAndALocalDescriptor() {
    OpenFabric fabric = fabric(CARD, 4, 4, Fi.FI_DELIVERY_COMPLETE);
    Links links = new DatagramLinks(fabric, arena, false);
    Regions regions = new Regions(fabric, Accelerators.none(), links, new RandomKeys(), false);
    FabricMemory memory = register(regions, Access.REMOTE_WRITE);

    assertThat(tap.registered()).extracting(Registered::address).containsOnly(segment.address());
    assertThat(tap.registered()).extracting(Registered::length).containsOnly(LENGTH);
    assertThat(tap.registered())
        .extracting(Registered::access)
        .containsExactly(Fi.FI_WRITE, Fi.FI_REMOTE_WRITE);
    assertThat(memory.desc()).isEqualTo(TapLibFabric.DESC + memory.source());
    Target target = Objects.requireNonNull(memory.target());
    assertThat(target.base).isEqualTo(segment.address());
    assertThat(target.key).as("the provider's").isEqualTo(target.registration);

    Landing landing = regions.landingOf(target);
    FabricMemory other = register(regions, Access.REMOTE_WRITE);
    assertThat(regions.landingOf(Objects.requireNonNull(other.target()))).isSameAs(landing);

    Writes writes = new Writes(fabric, Accelerators.none(), arena, links, 8, -1);
    Route route = new Route(new FabricPeer(new EngineId(1, 2)), new Token(5, 6));
    route.open(new byte[] {7}, PEER_BASE, PEER_KEY, LENGTH);
    Operation op = new Operation().between(memory, route).range(10, 20, 30).withImm(-2).token(1);
    assertThat(writes.post(op, route)).isEqualTo(Writes.Posted.TAKEN);
    assertThat(tap.written()).hasSize(1);
    Written written = tap.written().getFirst();
    assertThat(written.from()).isEqualTo(segment.address() + 10);
    assertThat(written.to()).isEqualTo(PEER_BASE + 20);
    assertThat(written.length()).isEqualTo(30);
    assertThat(written.desc()).isEqualTo(memory.desc());
    assertThat(written.key()).isEqualTo(PEER_KEY);
    assertThat(written.data()).as("no more than 4 bytes").isEqualTo(0xfffffffeL);
    assertThat(written.flags())
        .isEqualTo(Fi.FI_COMPLETION | Fi.FI_DELIVERY_COMPLETE | Fi.FI_REMOTE_CQ_DATA);
  }

  @Test
  void withoutModesOffsetsCountFromTheBeginningAndKeysAreChosenHere() {
    OpenFabric fabric = fabric(0, 8, 8, 0);
    Regions regions =
        new Regions(
            fabric,
            Accelerators.none(),
            new DatagramLinks(fabric, arena, true),
            new RandomKeys(),
            true);
    FabricMemory memory = register(regions, Access.REMOTE_WRITE);
    assertThat(tap.registered())
        .extracting(Registered::access)
        .as("own memory needs no registration")
        .containsExactly(Fi.FI_REMOTE_WRITE);
    assertThat(memory.desc()).isZero();
    Target target = Objects.requireNonNull(memory.target());
    assertThat(target.base).isZero();

    FabricMemory other = register(regions, Access.REMOTE_WRITE);
    assertThat(regions.landingOf(Objects.requireNonNull(other.target())))
        .isNotSameAs(regions.landingOf(target));
    assertThat(tap.registered()).extracting(Registered::requestedKey).doesNotHaveDuplicates();
  }

  @Test
  void whatWasFreedIsClosedToOthersAndNotOpenedAgain() {
    OpenFabric fabric = fabric(0, 8, 8, 0);
    Regions regions =
        new Regions(
            fabric,
            Accelerators.none(),
            new DatagramLinks(fabric, arena, true),
            new RandomKeys(),
            true);
    FabricMemory alive = register(regions, Access.REMOTE_WRITE);
    FabricMemory freed;
    try (Arena shortLived = Arena.ofShared()) {
      freed = regions.register(new HostMemory(shortLived.allocate(LENGTH)), Access.REMOTE_WRITE);
      regions.closeFreed(System.nanoTime());
      assertThat(Objects.requireNonNull(freed.target()).registration).isNotZero();
    }
    regions.closeFreed(System.nanoTime());
    assertThat(Objects.requireNonNull(freed.target()).registration).isZero();
    assertThat(Objects.requireNonNull(alive.target()).registration).isNotZero();
    FabricMemory renamed = regions.revoke(freed);
    assertThat(Objects.requireNonNull(renamed.target()).registration).isZero();
    assertThat(tap.registered()).as("registrations in all").hasSize(2);
    regions.remove(renamed);
    regions.remove(alive);
  }

  /** However many there are, and whatever became of those that were there before. */
  @Test
  void whoWasIdleLooksAtAllMemory() {
    OpenFabric fabric = fabric(0, 8, 8, 0);
    Regions regions =
        new Regions(
            fabric,
            Accelerators.none(),
            new DatagramLinks(fabric, arena, true),
            new RandomKeys(),
            true);
    for (int i = 0; i < 100; i++) {
      regions.remove(register(regions, Access.REMOTE_WRITE));
      register(regions, Access.REMOTE_WRITE);
    }
    FabricMemory freed;
    try (Arena shortLived = Arena.ofShared()) {
      freed = regions.register(new HostMemory(shortLived.allocate(LENGTH)), Access.REMOTE_WRITE);
    }
    regions.closeFreed(System.nanoTime() + 1_000_000_000);
    assertThat(Objects.requireNonNull(freed.target()).registration).isZero();
  }

  @Test
  void chosenKeysAreNoLongerThanTheProvidersAre() {
    OpenFabric fabric = fabric(Fi.FI_MR_LOCAL, 4, 8, 0);
    Regions regions =
        new Regions(
            fabric,
            Accelerators.none(),
            new DatagramLinks(fabric, arena, true),
            new RandomKeys(),
            true);
    for (int i = 0; i < 20; i++) {
      register(regions, Access.REMOTE_WRITE);
    }
    List<Long> keys = tap.registered().stream().map(Registered::requestedKey).toList();
    assertThat(keys).hasSize(40).allSatisfy(key -> assertThat(key).isBetween(0L, 0xffffffffL));
  }
}
