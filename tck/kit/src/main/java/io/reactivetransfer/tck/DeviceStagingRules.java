package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chapter 28, continued: copies that are begun, and waited for later. */
abstract class DeviceStagingRules extends DeviceRuleGroup {

  /** One byte, a page, and what the backends of this project ask for. */
  private static final List<Integer> SIZES =
      List.of(1, 4_096, 256 << 10, (256 << 10) + 64, 1_000_001);

  private static final int BUFFERS = 4;

  DeviceStagingRules(DeviceConformance kit) {
    super(kit);
  }

  /** Whether two have no byte in common. */
  static boolean areApart(MemorySegment one, MemorySegment other) {
    return one.address() + one.byteSize() <= other.address()
        || other.address() + other.byteSize() <= one.address();
  }

  @Test
  final void r28_13_eachBufferHasNativeMemoryOfItsOwnOfThatLength() {
    for (Device device : ground().devices()) {
      for (int bytes : SIZES) {
        List<StagingBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < BUFFERS; i++) {
          StagingBuffer buffer = ground().access().stagingBuffer(device, bytes);
          MemorySegment memory = buffer.memory();
          assertThat(memory.byteSize()).as("bytes of a buffer of %s", bytes).isEqualTo(bytes);
          assertThat(memory.isNative() && !memory.isReadOnly())
              .as("whether a buffer is native memory to write to")
              .isTrue();
          assertThat(memory.isAccessibleBy(new Thread(() -> {})))
              .as("whether any thread reaches the memory of a buffer")
              .isTrue();
          assertThat(buffers)
              .as("buffers that are open, apart from another one that is")
              .allMatch(each -> areApart(each.memory(), memory));
          memory.fill((byte) i);
          buffers.add(buffer);
        }
        // By other threads than this one, as when an engine closes.
        ground().elsewhere("close()", () -> buffers.forEach(StagingBuffer::close));
      }
    }
  }

  @Test
  final void r28_14_whenItWasWaitedForItIsThereAndNothingElseHasChanged() {
    int most = LENGTHS[LENGTHS.length - 1] + 20;
    for (Device device : ground().devices()) {
      try (StagingBuffer buffer = ground().access().stagingBuffer(device, most)) {
        buffer.await(); // for nothing
        for (int length : LENGTHS) {
          if (length > 0) {
            assertFetched(device, buffer, length);
            assertStored(device, buffer, length);
          }
        }
      }
    }
  }

  private void assertFetched(Device device, StagingBuffer buffer, int length) {
    byte[] bytes = ground().noise(length + 10);
    byte[] around = ground().noise((int) buffer.memory().byteSize());
    DeviceMemory source = ground().allocate(device, bytes);
    buffer.memory().copyFrom(MemorySegment.ofArray(around));
    buffer.fetch(source, 3, 7, length);
    buffer.await();
    buffer.await();
    byte[] copied = Arrays.copyOfRange(bytes, 3, 3 + length);
    assertSame(
        DeviceGround.bytes(buffer.memory()),
        DeviceCopyRules.replaced(around, 7, copied),
        "a buffer after %s bytes of %s were fetched",
        length,
        device);
    assertHolds(source, bytes, "what was fetched from, on %s", device);
    ground().free(source);
  }

  private void assertStored(Device device, StagingBuffer buffer, int length) {
    byte[] before = ground().noise(length + 10);
    byte[] bytes = ground().noise((int) buffer.memory().byteSize());
    DeviceMemory target = ground().allocate(device, before);
    buffer.memory().copyFrom(MemorySegment.ofArray(bytes));
    buffer.store(9, target, 3, length);
    buffer.await();
    byte[] copied = Arrays.copyOfRange(bytes, 9, 9 + length);
    assertHolds(
        target,
        DeviceCopyRules.replaced(before, 3, copied),
        "memory of %s after %s bytes were stored",
        device,
        length);
    assertSame(DeviceGround.bytes(buffer.memory()), bytes, "a buffer that was stored");
    ground().free(target);
  }

  @Test
  final void r28_14_severalCopiesAreUnderWayAtOnce() {
    int part = 50_001;
    for (Device device : ground().devices()) {
      byte[] bytes = ground().noise(BUFFERS * part);
      DeviceMemory source = ground().allocate(device, bytes);
      DeviceMemory target = ground().allocate(device, new byte[bytes.length]);
      List<StagingBuffer> buffers = new ArrayList<>();
      for (int i = 0; i < BUFFERS; i++) {
        StagingBuffer buffer = ground().access().stagingBuffer(device, part);
        buffers.add(buffer);
        int half = part / 2;
        buffer.fetch(source, (long) i * part, 0, half);
        buffer.fetch(source, (long) i * part + half, half, part - half);
      }
      for (int i = BUFFERS - 1; i >= 0; i--) { // in another order than they were begun in
        StagingBuffer buffer = buffers.get(i);
        buffer.await();
        assertSame(
            DeviceGround.bytes(buffer.memory()),
            Arrays.copyOfRange(bytes, i * part, (i + 1) * part),
            "part %s of those that were fetched at once",
            i);
        buffer.store(0, target, (long) i * part, part);
      }
      buffers.forEach(StagingBuffer::await);
      assertHolds(target, bytes, "parts that were stored at once, on %s", device);
      buffers.forEach(StagingBuffer::close);
    }
  }

  @Test
  final void r28_15_whatIsStoredLastIsWhatIsThere() {
    int length = 200_000;
    for (Device device : ground().devices()) {
      DeviceMemory target = ground().allocate(device, new byte[length]);
      try (StagingBuffer first = ground().access().stagingBuffer(device, length);
          StagingBuffer second = ground().access().stagingBuffer(device, length)) {
        for (List<StagingBuffer> waits : List.of(List.of(first, second), List.of(second, first))) {
          byte[] last = ground().noise(length);
          first.memory().fill((byte) 1);
          second.memory().copyFrom(MemorySegment.ofArray(last));
          first.store(0, target, 0, length);
          second.store(0, target, 0, length);
          waits.forEach(StagingBuffer::await);
          assertHolds(target, last, "what was stored last, through another buffer, on %s", device);
        }
      }
    }
  }
}
