package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.DeviceAccess;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Chapter 28: what an access says of its devices, and of itself. */
abstract class DevicePresenceRules extends DeviceRuleGroup {

  /** As in {@code /sys/bus/pci/devices}. */
  private static final Pattern PCI =
      Pattern.compile("[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");

  private static final int MOST_LETTERS = 300;

  DevicePresenceRules(DeviceConformance kit) {
    super(kit);
  }

  @Test
  final void r28_1_eachDeviceIsNamedOnceAndReached() {
    DeviceAccess access = ground().access();
    List<Device> devices = access.devices();
    assertThat(access.availability())
        .as("what an access says that names devices")
        .isInstanceOf(Availability.Available.class);
    assertThat(devices)
        .as("devices")
        .isNotEmpty()
        .doesNotContainNull()
        .doesNotHaveDuplicates()
        .doesNotContain(Device.HOST);
    assertThat(access.devices()).as("devices, asked again").isEqualTo(devices);
    assertThat(ground().another().devices())
        .as("devices of another access of its kind")
        .containsExactlyInAnyOrderElementsOf(devices);
    for (Device device : devices) {
      DeviceMemory memory = ground().allocate(device, 1);
      access.copyFromHost(DeviceGround.host(new byte[] {42}), 0, memory, 0, 1);
      assertHolds(memory, new byte[] {42}, "a byte of %s", device);
    }
  }

  @Test
  final void r28_2_whatIsForPeopleIsOneLine() {
    DeviceAccess access = ground().access();
    assertIsLine(access.kind(), "the kind of its devices");
    for (Device device : access.devices()) {
      assertIsLine(access.describe(device), "what is known of " + device);
    }
  }

  private static void assertIsLine(String text, String what) {
    assertThat(text).as(what).isNotBlank().hasSizeLessThanOrEqualTo(MOST_LETTERS);
    assertThat(text.chars().filter(Character::isISOControl).count())
        .as("letters of %s that are no text, as in '%s'", what, text)
        .isZero();
  }

  @Test
  final void r28_3_itsPlaceIsAsLinuxHasItOrNotKnown() {
    DeviceAccess access = ground().access();
    for (Device device : access.devices()) {
      String place = access.pciAddress(device);
      if (place != null) {
        assertThat(place).as("the PCI address of %s", device).matches(PCI);
      }
      assertThat(access.pciAddress(device)).as("the same, asked again").isEqualTo(place);
    }
  }

  @Test
  final void r28_4_whatIsEqualReachesTheSame() {
    DeviceAccess access = ground().access();
    DeviceAccess another = ground().another();
    DeviceAccess stranger = new FakeDevice(Device.of("tck-stranger", 0));
    assertThat(access.equals(stranger))
        .as("whether it says that it is equal to an access to other devices")
        .isFalse();
    if (!access.equals(another)) {
      return; // then copies between the two go through the host
    }
    assertThat(another.equals(access)).as("whether the other one is equal, too").isTrue();
    assertThat(another.hashCode())
        .as("the hash code of one that is equal")
        .isEqualTo(access.hashCode());
    assertThat(new HashSet<>(another.devices()))
        .as("devices of two that are equal")
        .isEqualTo(new HashSet<>(access.devices()));
    Device device = ground().devices().getFirst();
    byte[] bytes = ground().noise(70_000);
    DeviceMemory source = ground().allocate(device, bytes.length);
    DeviceMemory target = ground().allocate(device, bytes.length);
    another.copyFromHost(DeviceGround.host(bytes), 0, source, 0, bytes.length);
    access.copy(source, 0, target, 0, bytes.length);
    assertHolds(target, bytes, "a copy of what an equal access has written");
  }
}
