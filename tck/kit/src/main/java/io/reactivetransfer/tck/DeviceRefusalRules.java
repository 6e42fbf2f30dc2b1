package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Chapter 28, continued: what a device refuses. */
abstract class DeviceRefusalRules extends DeviceRuleGroup {

  /** In front of a range, and behind it. */
  private static final int ROOM = 100;

  DeviceRefusalRules(DeviceConformance kit) {
    super(kit);
  }

  /** It is refused as a driver expects it, with a text. */
  static void assertRefused(String what, ThrowingCallable use) {
    assertThatThrownBy(use, "what comes of " + what)
        .isInstanceOfSatisfying(
            BackendException.class,
            refusal ->
                assertThat(refusal.getMessage())
                    .as("why %s is refused", what)
                    .isNotNull()
                    .isNotBlank());
  }

  @Test
  final void r28_11_freedMemoryIsRefusedAndAllElseGoesOn() {
    for (Device device : ground().devices()) {
      for (int length : List.of(8, 5_000, 600_000)) {
        DeviceMemory whole = ground().allocate(device, ground().noise(length + 2 * ROOM));
        assertRefusedAndHarmless(whole, ground().freed(device, length), length);
      }
    }
  }

  @Test
  final void r28_12_memoryOfADeviceThatIsNotItsOwnIsRefused() {
    Set<Device> own = new TreeSet<>(ground().access().devices());
    Device first = ground().devices().getFirst();
    List<Device> others =
        List.of(Device.of("no-such-kind", 3), Device.of(first.kind(), Integer.MAX_VALUE));
    for (Device other : others) {
      assertThat(own).as("devices").doesNotContain(other);
      int length = 5_000;
      DeviceMemory whole = ground().allocate(first, ground().noise(length + 2 * ROOM));
      // At an address that is one of its own, so that who goes by that alone is found.
      byte[] bytes = ground().noise(length);
      DeviceMemory taken = ground().allocate(first, bytes);
      assertRefusedAndHarmless(
          whole, new DeviceMemory(other, taken.address(), taken.length()), length);
      assertHolds(taken, bytes, "memory at the address of what was refused");
    }
  }

  private void assertRefusedAndHarmless(DeviceMemory whole, DeviceMemory bad, int length) {
    DeviceAccess access = ground().access();
    MemorySegment host = DeviceGround.host(ground().noise(length + 2 * ROOM));
    Map<String, ThrowingCallable> uses = new LinkedHashMap<>();
    uses.put("a copy to the host", () -> access.copyToHost(bad, 0, host, ROOM, length));
    uses.put("a copy from the host", () -> access.copyFromHost(host, ROOM, bad, 0, length));
    uses.put("a copy to a device", () -> access.copy(bad, 0, whole, ROOM, length));
    uses.put("a copy from a device", () -> access.copy(whole, ROOM, bad, 0, length));
    uses.put("a look at a word", () -> access.peek(bad, 0));
    uses.forEach((what, use) -> {
      byte[] here = DeviceGround.bytes(host);
      byte[] there = ground().read(whole);
      assertRefused(what + " of memory of " + bad.device() + " that is not there", use);
      assertSameAround(DeviceGround.bytes(host), here, what);
      assertSameAround(ground().read(whole), there, what);
      byte[] bytes = ground().noise(length);
      access.copyFromHost(DeviceGround.host(bytes), 0, whole, ROOM, length);
      MemorySegment back = DeviceGround.host(new byte[length]);
      access.copyToHost(whole, ROOM, back, 0, length);
      assertSame(DeviceGround.bytes(back), bytes, "a copy after %s was refused", what);
    });
  }

  private static void assertSameAround(byte[] after, byte[] before, String what) {
    for (int begin : new int[] {0, before.length - ROOM}) {
      assertSame(
          Arrays.copyOfRange(after, begin, begin + ROOM),
          Arrays.copyOfRange(before, begin, begin + ROOM),
          "what is beside the range of %s that was refused",
          what);
    }
  }
}
