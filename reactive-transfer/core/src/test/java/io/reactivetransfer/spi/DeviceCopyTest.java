package io.reactivetransfer.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From accelerator to accelerator: by whom, and which bytes. */
class DeviceCopyTest {

  private static final int LENGTH = 300_000;

  /** Devices of a kind, each with the same bytes. */
  private static class Cards implements DeviceAccess {

    final Device first;
    final Device second;
    final MemorySegment bytes = MemorySegment.ofArray(new byte[LENGTH]);
    int copiesByHost;
    int copies;

    Cards(String kind) {
      first = Device.of(kind, 0);
      second = Device.of(kind, 1);
    }

    DeviceMemory memory(Device device) {
      return new DeviceMemory(device, 4_096, LENGTH);
    }

    @Override
    public Availability availability() {
      return Availability.available();
    }

    @Override
    public List<Device> devices() {
      return List.of(first, second);
    }

    @Override
    public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
      assertThat(to.isNative()).isTrue();
      MemorySegment.copy(bytes, at, to, toAt, length);
      copiesByHost++;
    }

    @Override
    public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
      MemorySegment.copy(from, at, bytes, toAt, length);
      copiesByHost++;
    }

    @Override
    public long peek(DeviceMemory memory, long offset) {
      return 0;
    }
  }

  /** Those that copy by themselves. */
  private static class Linked extends Cards {

    Linked(String kind) {
      super(kind);
    }

    @Override
    public void copy(DeviceMemory from, long at, DeviceMemory to, long toAt, long length) {
      MemorySegment.copy(bytes, at, bytes, toAt, length);
      copies++;
    }
  }

  /** Of which any two reach the same. */
  private static final class Alike extends Linked {

    Alike(String kind) {
      super(kind);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Alike;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  private static byte[] noise(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static byte[] bytes(Cards cards) {
    return (byte[]) cards.bytes.heapBase().orElseThrow();
  }

  private static Devices devices(DeviceAccess... all) {
    return Devices.of(List.of(all));
  }

  /** None, one, and around the parts in which it goes through the host. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4_097, 65_535, 65_536, 65_537, 140_000})
  void whatNobodyCopiesGoesThroughTheHost(int length) {
    Cards cards = new Cards("card");
    Devices devices = devices(cards);
    byte[] expected = noise(LENGTH);
    cards.bytes.copyFrom(MemorySegment.ofArray(expected));
    System.arraycopy(expected, 3, expected, 150_001, length);
    devices.copy(
        devices, cards.memory(cards.first), 3, cards.memory(cards.second), 150_001, length);
    assertThat(bytes(cards)).isEqualTo(expected);
    assertThat(cards.copiesByHost).isEqualTo(2 * Math.ceilDiv(length, 65_536));
  }

  @Test
  void anAccessThatReachesBothCopies() {
    Linked cards = new Linked("card");
    byte[] expected = noise(LENGTH);
    cards.bytes.copyFrom(MemorySegment.ofArray(expected));
    System.arraycopy(expected, 3, expected, 150_001, 100_000);
    devices(cards)
        .copy(
            devices(cards),
            cards.memory(cards.first),
            3,
            cards.memory(cards.second),
            150_001,
            100_000);
    assertThat(bytes(cards)).isEqualTo(expected);
    assertThat(cards.copies).isOne();
    assertThat(cards.copiesByHost).isZero();
  }

  @Test
  void soDoesOneOfTwoThatAreEqual() {
    Alike source = new Alike("card");
    Alike target = new Alike("card");
    devices(target)
        .copy(
            devices(source), source.memory(source.first), 0, target.memory(target.second), 0, 100);
    assertThat(target.copies).isOne();
    assertThat(source.copies).isZero();
  }

  @Test
  void twoThatAreNotGoThroughTheHost() {
    Linked source = new Linked("card");
    Linked target = new Linked("plank");
    source.bytes.copyFrom(MemorySegment.ofArray(noise(LENGTH)));
    Devices both = devices(source, target);
    both.copy(both, source.memory(source.first), 5, target.memory(target.first), 7, 200_000);
    byte[] expected = new byte[LENGTH];
    System.arraycopy(noise(LENGTH), 5, expected, 7, 200_000);
    assertThat(bytes(target)).isEqualTo(expected);
    assertThat(source.copies + target.copies).isZero();
    assertThat(bytes(source)).isEqualTo(noise(LENGTH));
  }

  /** Of the same name: two engines may have been given access to different ones. */
  @Test
  void twoOfOneNameThatAreNotEqualGoThroughTheHost() {
    Linked source = new Linked("card");
    Linked target = new Linked("card");
    source.bytes.fill((byte) 5);
    devices(target)
        .copy(devices(source), source.memory(source.first), 0, target.memory(target.first), 0, 9);
    assertThat(target.bytes.get(ValueLayout.JAVA_BYTE, 8)).isEqualTo((byte) 5);
    assertThat(source.copies + target.copies).isZero();
  }

  @Test
  void oneThatCannotSayWhetherItIsEqualIsNot() {
    Linked source = new Linked("card");
    Linked target =
        new Linked("card") {
          @Override
          public boolean equals(@Nullable Object other) {
            throw new IllegalStateException("on purpose");
          }

          @Override
          public int hashCode() {
            return 1;
          }
        };
    devices(target)
        .copy(devices(source), source.memory(source.first), 0, target.memory(target.first), 0, 9);
    assertThat(target.copiesByHost).isOne();
  }

  @Test
  void aDeviceThatIsNotReachedIsRefused() {
    Linked cards = new Linked("card");
    DeviceMemory elsewhere = new DeviceMemory(Device.of("plank", 0), 4_096, LENGTH);
    DeviceMemory memory = cards.memory(cards.first);
    Devices devices = devices(cards);
    assertThatThrownBy(() -> devices.copy(devices, elsewhere, 0, memory, 0, 1))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("plank:0");
    assertThatThrownBy(() -> devices.copy(devices, memory, 0, elsewhere, 0, 1))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("plank:0");
  }
}
