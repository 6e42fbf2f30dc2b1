package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.ibverbs.ffi.Gid;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which ports are NICs, and with which of their addresses. */
@Timeout(30)
class PortFinderTest {

  private static final int LENGTH = 100;
  private static final String FURTHER = "10.1.0.1";

  private final FakeVerbs fake = new FakeVerbs(2);

  @BeforeEach
  void aPortHasTwoAddresses() {
    fake.addAddress(0, Gid.of(FURTHER));
  }

  private PortFinder.Found find(String... devices) {
    return PortFinder.find(fake, FakeNics.settings(devices));
  }

  private static List<String> names(List<Port> ports) {
    return ports.stream().map(Port::name).toList();
  }

  @Test
  void eachPortIsOneNicByItself() {
    PortFinder.Found found = find();
    assertThat(names(found.ports())).containsExactly("fake0", "fake1");
    assertThat(found.ports().getFirst().address()).hasToString("10.0.0.1");
    assertThat(found.unused()).hasSize(1);
    assertThat(found.unused().getFirst().nameWithAddress()).isEqualTo("fake0@10.1.0.1");
  }

  @Test
  void eachOfItsAddressesCanBeANic() {
    PortFinder.Found found = find("fake0@10.1.0.1", "fake0@10.0.0.1");
    assertThat(names(found.ports())).containsExactly("fake0@10.1.0.1", "fake0@10.0.0.1");
    assertThat(found.unused()).isEmpty();
    assertThat(names(find("fake0", "fake0@10.1.0.1").ports()))
        .containsExactly("fake0", "fake0@10.1.0.1");
  }

  @Test
  void twoOfOnePortReachEachOther() {
    TwoNics nics =
        FakeNics.open(
            fake, find("fake0@10.0.0.1", "fake0@10.1.0.1").ports(), Duration.ofMillis(500));
    try (Arena arena = Arena.ofShared()) {
      MemorySegment from = arena.allocate(LENGTH).fill((byte) 7);
      MemorySegment to = arena.allocate(LENGTH);
      nics.write(
          nics.source(from), nics.named(nics.openToOrigin(to), LENGTH), 1, i -> 0, LENGTH, true);
      assertThat(nics.atOrigin().count("written")).isEqualTo(1);
      assertThat(to.mismatch(from)).isEqualTo(-1);
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void whatIsAskedForMustBeThereAndOnlyOnce() {
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> find("fake1@10.1.0.1"))
        .withMessageStartingWith("expected a device fake1@10.1.0.1, got [fake0@10.0.0.1, ");
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> find("fake0", "fake0@10.0.0.1"))
        .withMessage("expected each address of a port once, got fake0@10.0.0.1 again");
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> find("fake0@cluster"))
        .withMessage(
            "expected a device, or a device, @ and one of its IP addresses, such as"
                + " mlx5_0@10.0.0.7, got fake0@cluster");
  }

  private PortFinder.Found findAt(int gidIndex) {
    AckTiming timing = AckTiming.of(Duration.ofMillis(67), 6);
    return PortFinder.find(
        fake, new VerbsSettings(List.of(), OptionalInt.of(gidIndex), timing, new Priority(3, 104)));
  }

  /**
   * Peers with addresses of RoCE v2 could not be reached from it, and nothing would say why. As a
   * rule a card's first entry is of RoCE v1.
   */
  @Test
  void anAddressThatIsNamedMustBeOneOfRoceV2() {
    int ofVersion2 = find().ports().getFirst().gidIndex();
    assertThat(names(findAt(ofVersion2).ports())).containsExactly("fake0", "fake1");
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> findAt(0))
        .withMessageStartingWith(
            "no port can be used: fake0: expected an address (GID) of RoCE v2 at index 0, got one"
                + " of another type: take another index; ibv_devinfo -v lists them; fake1: ");
  }

  @Test
  void addressesAreReadAndWrittenAsPeopleDo() {
    for (String text : List.of("10.1.0.1", "fe80:0:0:0:200:ff:fe00:1", "2001:db8:0:0:0:0:0:7")) {
      assertThat(Gid.of(text)).hasToString(text);
    }
    assertThat(Gid.of("::ffff:10.1.0.1")).isEqualTo(Gid.of("10.1.0.1"));
    assertThat(Gid.of("10.1.0.1").isIpv4()).isTrue();
  }
}
