package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Chapter 28, continued: how the use of a staging buffer ends. */
abstract class DeviceStagingEndRules extends DeviceRuleGroup {

  private static final int LENGTH = 400_000;

  /** Of one that is behind another one in the same buffer. */
  private static final int SHORT = 5_000;

  DeviceStagingEndRules(DeviceConformance kit) {
    super(kit);
  }

  private StagingBuffer buffer(Device device) {
    return ground().access().stagingBuffer(device, LENGTH + SHORT);
  }

  @Test
  final void r28_16_aRefusedStoreEndsItsBufferOnly() {
    for (Device device : ground().devices()) {
      assertEndsItsBufferOnly(
          device,
          "storing to memory that is gone",
          (buffer, gone) -> buffer.store(LENGTH, gone, 0, SHORT));
    }
  }

  @Test
  final void r28_16_soDoesARefusedFetch() {
    for (Device device : ground().devices()) {
      assertEndsItsBufferOnly(
          device,
          "fetching from memory that is gone",
          (buffer, gone) -> {
            buffer.await(); // copies that go both ways are not under way together
            buffer.fetch(gone, 0, LENGTH, SHORT);
          });
    }
  }

  private void assertEndsItsBufferOnly(
      Device device, String what, BiConsumer<StagingBuffer, DeviceMemory> use) {
    byte[] bytes = ground().noise(LENGTH);
    DeviceMemory good = ground().allocate(device, new byte[LENGTH]);
    DeviceMemory another = ground().allocate(device, new byte[LENGTH]);
    DeviceMemory gone = ground().freed(device, SHORT);
    try (StagingBuffer other = buffer(device);
        StagingBuffer refused = buffer(device)) {
      for (StagingBuffer each : List.of(refused, other)) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, each.memory(), 0, LENGTH);
      }
      refused.store(0, good, 0, LENGTH);
      other.store(0, another, 0, LENGTH);
      boolean[] atOnce = {true};
      DeviceRefusalRules.assertRefused(
          what,
          () -> {
            use.accept(refused, gone);
            atOnce[0] = false;
            refused.await();
          });
      if (atOnce[0]) {
        refused.await(); // for what was begun before
        assertHolds(good, bytes, "what was stored before %s was refused", what);
      }
      other.await();
      assertHolds(another, bytes, "what another buffer has stored meanwhile");
    } // which is silent, since somebody has waited for what has failed
    assertWorks(device, bytes, another);
  }

  @Test
  final void r28_16_closeTellsOfAFailureThatNobodyHasWaitedFor() {
    for (Device device : ground().devices()) {
      DeviceMemory gone = ground().freed(device, SHORT);
      StagingBuffer buffer = buffer(device);
      boolean[] atOnce = {true};
      DeviceRefusalRules.assertRefused(
          "closing a buffer that stores to memory which is gone",
          () -> {
            buffer.store(0, gone, 0, SHORT);
            atOnce[0] = false;
            buffer.close();
          });
      if (atOnce[0]) {
        buffer.close(); // nothing came of it
      }
      byte[] bytes = ground().noise(LENGTH);
      assertWorks(device, bytes, ground().allocate(device, bytes));
    }
  }

  private void assertWorks(Device device, byte[] bytes, DeviceMemory memory) {
    try (StagingBuffer next = buffer(device)) {
      next.fetch(memory, 0, 0, LENGTH);
      next.await();
      assertSame(
          DeviceGround.bytes(next.memory().asSlice(0, LENGTH)),
          bytes,
          "what the next buffer has fetched from %s",
          device);
    }
  }

  @Test
  final void r28_17_whenABufferIsClosedNothingIsUnderWay() {
    for (Device device : ground().devices()) {
      byte[] bytes = ground().noise(LENGTH);
      DeviceMemory target = ground().allocate(device, new byte[LENGTH]);
      StagingBuffer storing = buffer(device);
      MemorySegment.copy(MemorySegment.ofArray(bytes), 0, storing.memory(), 0, LENGTH);
      storing.store(0, target, 0, LENGTH);
      storing.close();
      assertHolds(target, bytes, "what was stored when its buffer is closed, on %s", device);
      DeviceMemory source = ground().allocate(device, bytes);
      StagingBuffer fetching = buffer(device);
      fetching.fetch(source, 0, 0, LENGTH);
      fetching.close();
      ground().free(source);
      assertIsQuiet(device, target);
    }
  }

  /** Regions are closed on the word of it. */
  @Test
  final void r28_24_whatWasRefusedIsOver() {
    for (Device device : ground().devices()) {
      byte[] bytes = ground().noise(LENGTH + SHORT);
      DeviceMemory good = ground().allocate(device, new byte[LENGTH]);
      DeviceMemory gone = ground().freed(device, SHORT);
      try (StagingBuffer buffer = buffer(device)) {
        buffer.memory().copyFrom(MemorySegment.ofArray(bytes));
        buffer.store(0, good, 0, LENGTH);
        boolean[] atOnce = {true};
        DeviceRefusalRules.assertRefused(
            "storing to memory that is gone",
            () -> {
              buffer.store(LENGTH, gone, 0, SHORT);
              atOnce[0] = false;
              buffer.await();
            });
        if (atOnce[0]) {
          buffer.await(); // for what was begun before
        }
        assertThat(buffer.isOver())
            .as("whether all is over in a buffer on %s whose copy was refused", device)
            .isTrue();
        byte[] there = ground().noise(LENGTH);
        ground().write(good, there);
        ground()
            .patience()
            .throughout(() -> {
              assertSame(DeviceGround.bytes(buffer.memory()), bytes, "a buffer that is over");
              assertHolds(good, there, "what a buffer that is over had stored to, on %s", device);
            });
      }
    }
  }

  /** Neither the target of before, nor a buffer that may have the memory of the closed one. */
  private void assertIsQuiet(Device device, DeviceMemory target) {
    byte[] there = ground().noise(LENGTH);
    byte[] here = ground().noise(LENGTH + SHORT);
    try (StagingBuffer next = buffer(device)) {
      next.memory().copyFrom(MemorySegment.ofArray(here));
      ground().write(target, there);
      ground()
          .patience()
          .throughout(() -> {
            assertSame(DeviceGround.bytes(next.memory()), here, "a buffer in use");
            assertHolds(target, there, "what a closed buffer had stored to");
          });
    }
  }

  @Test
  final void r28_18_closingAgainTakesNobodysBufferAway() {
    for (Device device : ground().devices()) {
      StagingBuffer first = buffer(device);
      first.close();
      first.close();
      StagingBuffer second = buffer(device);
      ground().elsewhere("close(), again", first::close);
      StagingBuffer third = buffer(device);
      assertThat(DeviceStagingRules.areApart(second.memory(), third.memory()))
          .as("whether two open buffers are apart, when another one was closed again")
          .isTrue();
      byte[] bytes = ground().noise(LENGTH);
      DeviceMemory memory = ground().allocate(device, bytes);
      for (StagingBuffer open : List.of(second, third)) {
        open.fetch(memory, 0, 0, LENGTH);
        open.await();
        assertSame(
            DeviceGround.bytes(open.memory().asSlice(0, LENGTH)),
            bytes,
            "what was fetched after another buffer was closed again");
        open.close();
      }
    }
  }
}
