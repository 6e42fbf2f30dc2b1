package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.tck.DeviceCopyRules.Place;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chapter 28, continued: copies from device to device, and within one. */
abstract class DevicePeerRules extends DeviceRuleGroup {

  DevicePeerRules(DeviceConformance kit) {
    super(kit);
  }

  @Test
  final void r28_9_aCopyBetweenDevicesChangesItsRangeAndNothingElse() {
    for (Device from : ground().devices()) {
      for (Device to : ground().devices()) {
        for (int length : LENGTHS) {
          for (Place place : DeviceCopyRules.PLACES) {
            assertCopied(from, to, length, place);
          }
        }
      }
    }
  }

  /** From behind 3 bytes of the source, and in front of its last one. */
  private void assertCopied(Device from, Device to, int length, Place place) {
    byte[] bytes = ground().noise(length + 4);
    byte[] before = ground().noise(Math.max(1, place.before() + length + place.behind()));
    DeviceMemory source = ground().allocate(from, bytes);
    DeviceMemory target = ground().allocate(to, before);
    ground().access().copy(source, 3, target, place.before(), length);
    byte[] copied = Arrays.copyOfRange(bytes, 3, 3 + length);
    assertHolds(
        target,
        DeviceCopyRules.replaced(before, place.before(), copied),
        "memory of %s, after %s bytes from %s to %s",
        to,
        length,
        from,
        place);
    assertHolds(source, bytes, "the source of %s bytes, on %s", length, from);
    ground().free(source);
    ground().free(target);
  }

  @Test
  final void r28_9_soDoesOneFromAPlaceOfMemoryToAnotherPlaceOfIt() {
    for (Device device : ground().devices()) {
      for (int length : List.of(1, 4_097, 300_001)) {
        byte[] bytes = ground().noise(2 * length + 3);
        DeviceMemory memory = ground().allocate(device, bytes);
        byte[] copied = Arrays.copyOfRange(bytes, 1, 1 + length);
        ground().access().copy(memory, 1, memory, 2L + length, length);
        assertHolds(
            memory,
            DeviceCopyRules.replaced(bytes, 2 + length, copied),
            "memory of %s, of which %s bytes were copied to another place",
            device,
            length);
      }
    }
  }

  @Test
  final void r28_10_rangesThatOverlapEndNothing() {
    DeviceAccess access = ground().access();
    int length = 300_000;
    int shift = 1_001;
    for (Device device : ground().devices()) {
      byte[] bytes = ground().noise(length + 2 * shift);
      DeviceMemory memory = ground().allocate(device, bytes);
      for (int[] way : new int[][] {{0, shift}, {2 * shift, shift}, {shift, shift}}) {
        access.copy(memory, way[0], memory, way[1], length);
        byte[] after = ground().read(memory);
        String what = "what is %s of a target that overlaps its source, on %s";
        assertSame(
            Arrays.copyOf(after, shift), Arrays.copyOf(bytes, shift), what, "in front", device);
        assertSame(
            Arrays.copyOfRange(after, shift + length, after.length),
            Arrays.copyOfRange(bytes, shift + length, bytes.length),
            what,
            "behind",
            device);
      }
      assertCopied(device, device, length, new Place(1, 5));
    }
  }
}
