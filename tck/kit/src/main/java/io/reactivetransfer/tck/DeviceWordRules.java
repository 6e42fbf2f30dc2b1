package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chapter 28, continued: a word of a device, which an engine watches. */
abstract class DeviceWordRules extends DeviceRuleGroup {

  private static final int BYTES = 8_192;

  /** In one look at what was allocated: less than a byte for each is nothing for each. */
  private static final int PEEKS = 1_000;

  DeviceWordRules(DeviceConformance kit) {
    super(kit);
  }

  @Test
  final void r28_19_aWordIsReadAsItIsNow() {
    DeviceAccess access = ground().access();
    for (Device device : ground().devices()) {
      byte[] bytes = ground().noise(BYTES);
      DeviceMemory memory = ground().allocate(device, bytes);
      DeviceMemory other = ground().allocate(device, ground().noise(BYTES));
      for (int at : List.of(0, 8, 4_088, 4_096, BYTES - Long.BYTES)) {
        String where = " at byte " + at + " of memory of " + device;
        assertThat(access.peek(memory, at)).as("a word%s", where).isEqualTo(word(bytes, at));
        MemorySegment next = DeviceGround.host(ground().noise(Long.BYTES));
        access.copyFromHost(next, 0, memory, at, Long.BYTES);
        assertThat(access.peek(memory, at))
            .as("a word that was copied from the host,%s", where)
            .isEqualTo(next.get(ValueLayout.JAVA_LONG, 0));
        access.copy(other, at, memory, at, Long.BYTES);
        assertThat(access.peek(memory, at))
            .as("a word that was copied from a device,%s", where)
            .isEqualTo(word(ground().read(other), at));
        try (StagingBuffer buffer = access.stagingBuffer(device, Long.BYTES)) {
          buffer.memory().copyFrom(next);
          buffer.store(0, memory, at, Long.BYTES);
          buffer.await();
        }
        assertThat(access.peek(memory, at))
            .as("a word that was stored,%s", where)
            .isEqualTo(next.get(ValueLayout.JAVA_LONG, 0));
        ground().write(memory, bytes);
        assertThat(access.peek(memory, at))
            .as("a word that the device has written,%s", where)
            .isEqualTo(word(bytes, at));
      }
      assertHolds(memory, bytes, "memory that was looked at, on %s", device);
    }
  }

  private static long word(byte[] bytes, int at) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong(at);
  }

  /** Compiled code allocates less, so it is looked at until it is so. */
  @Test
  final void r28_20_toReadAWordAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    assumeTrue(
        threads.isThreadAllocatedMemorySupported(), "this JVM does not count what is allocated");
    DeviceAccess access = ground().access();
    for (Device device : ground().devices()) {
      byte[] bytes = ground().noise(BYTES);
      DeviceMemory memory = ground().allocate(device, bytes);
      long least = Long.MAX_VALUE;
      long deadline = System.nanoTime() + ground().patience().signal().toNanos();
      while (least >= PEEKS && System.nanoTime() - deadline < 0) {
        long sum = 0;
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < PEEKS; i++) {
          sum += access.peek(memory, 8);
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        assertThat(sum).as("what was read").isEqualTo(PEEKS * word(bytes, 8));
      }
      assertThat(least)
          .as("bytes that %s looks at a word of %s allocate", PEEKS, device)
          .isLessThan(PEEKS);
    }
  }
}
