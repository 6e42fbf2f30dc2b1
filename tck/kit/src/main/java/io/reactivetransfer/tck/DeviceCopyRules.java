package io.reactivetransfer.tck;

import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Chapter 28, continued: copies between a device and the host. */
abstract class DeviceCopyRules extends DeviceRuleGroup {

  /**
   * Where a range is within its memory.
   *
   * @param before bytes in front of it
   * @param behind bytes behind it
   */
  record Place(int before, int behind) {}

  /** All of it, at an odd address, and across the end of a page. */
  static final List<Place> PLACES = List.of(new Place(0, 0), new Place(1, 5), new Place(4_095, 1));

  private static final int THREADS = 4;
  private static final int ROUNDS = 40;

  /** Of a copy that goes on for a while. */
  private static final int LONG = 3 << 20;

  DeviceCopyRules(DeviceConformance kit) {
    super(kit);
  }

  /** The first bytes replaced from there on. */
  static byte[] replaced(byte[] bytes, int from, byte[] by) {
    byte[] all = bytes.clone();
    System.arraycopy(by, 0, all, from, by.length);
    return all;
  }

  @Test
  final void r28_5_aCopyFromTheHostChangesItsRangeAndNothingElse() {
    DeviceAccess access = ground().access();
    for (Device device : ground().devices()) {
      for (int length : LENGTHS) {
        byte[] bytes = ground().noise(length + 11);
        for (Place place : PLACES) {
          byte[] before = ground().noise(Math.max(1, place.before + length + place.behind));
          DeviceMemory memory = ground().allocate(device, before);
          MemorySegment source = DeviceGround.host(bytes);
          access.copyFromHost(source, 3, memory, place.before, length);
          byte[] copied = Arrays.copyOfRange(bytes, 3, 3 + length);
          assertHolds(
              memory,
              replaced(before, place.before, copied),
              "memory of %s, after %s bytes to %s",
              device,
              length,
              place);
          assertSame(DeviceGround.bytes(source), bytes, "the source of %s bytes", length);
          ground().free(memory);
        }
      }
    }
  }

  @Test
  final void r28_5_aCopyToTheHostChangesItsRangeAndNothingElse() {
    DeviceAccess access = ground().access();
    for (Device device : ground().devices()) {
      for (int length : LENGTHS) {
        byte[] around = ground().noise(length + 8);
        for (Place place : PLACES) {
          byte[] bytes = ground().noise(Math.max(1, place.before + length + place.behind));
          DeviceMemory memory = ground().allocate(device, bytes);
          MemorySegment target = DeviceGround.host(around);
          access.copyToHost(memory, place.before, target, 3, length);
          byte[] copied = Arrays.copyOfRange(bytes, place.before, place.before + length);
          assertSame(
              DeviceGround.bytes(target),
              replaced(around, 3, copied),
              "memory of the host, after %s bytes from %s of %s",
              length,
              place,
              device);
          assertHolds(memory, bytes, "the source of %s bytes of %s", length, device);
          ground().free(memory);
        }
      }
    }
  }

  /** Memory of the heap is never given, and read-only memory never as a target. */
  @Test
  final void r28_5_memoryOfTheHostIsOfAnyKindThatIsNative() {
    DeviceAccess access = ground().access();
    Device device = ground().devices().getFirst();
    byte[] bytes = ground().noise(70_000);
    DeviceMemory memory = ground().allocate(device, bytes.length);
    try (Arena ofThisThread = Arena.ofConfined();
        Arena ofAll = Arena.ofShared()) {
      List<MemorySegment> kinds =
          List.of(
              ofThisThread.allocate(bytes.length),
              ofAll.allocate(bytes.length + 1).asSlice(1),
              Arena.global().allocate(bytes.length),
              MemorySegment.ofBuffer(ByteBuffer.allocateDirect(bytes.length)));
      for (MemorySegment host : kinds) {
        host.copyFrom(MemorySegment.ofArray(bytes));
        access.copyFromHost(host.asReadOnly(), 0, memory, 0, bytes.length);
        assertHolds(memory, bytes, "memory of %s, copied from %s", device, host);
        access.copyToHost(memory, 0, host.fill((byte) 0), 0, bytes.length);
        assertSame(DeviceGround.bytes(host), bytes, "%s, copied from %s", host, device);
      }
    }
  }

  @Test
  final void r28_6_whenACopyReturnsItIsDone() {
    DeviceAccess access = ground().access();
    for (Device device : ground().devices()) {
      byte[] one = ground().noise(LONG);
      byte[] other = ground().noise(LONG);
      DeviceMemory memory = ground().allocate(device, LONG);
      MemorySegment host = Arena.ofAuto().allocate(LONG);
      for (byte[] bytes : List.of(one, other, one)) {
        host.copyFrom(MemorySegment.ofArray(bytes));
        access.copyFromHost(host, 0, memory, 0, LONG);
        host.fill((byte) 0);
        assertHolds(memory, bytes, "memory of %s when a copy to it has returned", device);
      }
      access.copyToHost(memory, 0, host, 0, LONG);
      ground().write(memory, other);
      assertSame(DeviceGround.bytes(host), one, "the host when a copy from %s is done", device);
    }
  }

  @Test
  final void r28_7_copiesOfSeveralThreadsDoNotMix() {
    DeviceAccess access = ground().access();
    Device device = ground().devices().getFirst();
    Device last = ground().devices().getLast();
    int room = 300_000;
    DeviceMemory shared = ground().allocate(device, THREADS * (long) room);
    DeviceMemory other = ground().allocate(last, THREADS * (long) room);
    ground()
        .together(
            THREADS,
            "copies of several threads",
            number -> {
              SplittableRandom random = new SplittableRandom(number);
              MemorySegment host = Arena.ofAuto().allocate(room);
              for (int round = 0; round < ROUNDS; round++) {
                byte[] bytes = new byte[1 + random.nextInt(room)];
                random.nextBytes(bytes);
                MemorySegment.copy(bytes, 0, host, ValueLayout.JAVA_BYTE, 0, bytes.length);
                long at = number * (long) room;
                access.copyFromHost(host, 0, shared, at, bytes.length);
                access.copy(shared, at, other, at, bytes.length);
                host.fill((byte) 0);
                access.copyToHost(other, at, host, 0, bytes.length);
                assertSame(
                    DeviceGround.bytes(host.asSlice(0, bytes.length)),
                    bytes,
                    "copy %s of thread %s",
                    round,
                    number);
              }
            });
  }

  @Test
  final void r28_8_copiesWaitForNothingThatTheDeviceWasGivenBefore() {
    for (Device device : ground().devices()) {
      DeviceMemory memory = ground().allocate(device, ground().noise(600_000));
      DeviceMemory target = ground().allocate(device, ground().noise(600_000));
      byte[] bytes = ground().noise(600_000);
      MemorySegment host = DeviceGround.host(bytes);
      try (StagingBuffer buffer = ground().access().stagingBuffer(device, 300_000)) {
        // To pin memory and the like may wait: what is needed for the first time is had before.
        useAll(memory, target, host, buffer);
        Runnable end = ground().keepBusy(device);
        if (end == null) {
          abort("the test class does not say how a device is kept busy");
          return;
        }
        try {
          ground()
              .elsewhere(
                  "copies of " + device + " while that has something else to do",
                  () -> useAll(memory, target, host, buffer));
        } finally {
          end.run();
        }
      }
      assertHolds(target, bytes, "what was copied while %s was busy", device);
    }
  }

  private void useAll(
      DeviceMemory memory, DeviceMemory target, MemorySegment host, StagingBuffer buffer) {
    DeviceAccess access = ground().access();
    long length = host.byteSize();
    access.copyFromHost(host, 0, memory, 0, length);
    access.copyToHost(memory, 0, host, 0, length);
    access.copy(memory, 0, target, 0, length);
    long half = buffer.memory().byteSize();
    buffer.fetch(memory, length - half, 0, half);
    buffer.await();
    buffer.store(0, target, length - half, half);
    buffer.await();
    long _ = access.peek(target, 8);
  }
}
