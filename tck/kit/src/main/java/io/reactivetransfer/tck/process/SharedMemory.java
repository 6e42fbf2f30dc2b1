package io.reactivetransfer.tck.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that two processes map: a pair of rings for each NIC that may be open, and behind them the
 * memory of the tests.
 */
final class SharedMemory implements SegmentAllocator {

  /** NICs that may be open at a time. */
  static final int MAX_NICS = 64;

  private static final long RINGS_BYTES = 2 * MAX_NICS * Ring.BYTES;

  /** Far more than one test uses, so that what is given out again is not in use any more. */
  private static final long AREA_BYTES = 256L << 20;

  private static final long ALIGNMENT = 64;

  private final MemorySegment all;
  private final MemorySegment area;
  private long next;

  private SharedMemory(MemorySegment all) {
    this.all = all;
    this.area = all.asSlice(RINGS_BYTES, AREA_BYTES);
  }

  /**
   * A new file, in memory where the system has such, and enough of it: a page that is not there
   * ends whoever touches it first. A container often has 64 MiB, and others may want some, too.
   */
  static Path createFile() throws IOException {
    Path memory = Path.of("/dev/shm");
    boolean isRoomy =
        Files.isWritable(memory)
            && Files.getFileStore(memory).getUsableSpace() > 2 * (RINGS_BYTES + AREA_BYTES);
    return isRoomy
        ? Files.createTempFile(memory, "reactive-transfer-tck", null)
        : Files.createTempFile("reactive-transfer-tck", null);
  }

  /** Maps the file, for as long as this process lives. */
  static SharedMemory map(Path file) {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return new SharedMemory(
          channel.map(MapMode.READ_WRITE, 0, RINGS_BYTES + AREA_BYTES, Arena.global()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the process of the tests tells that of the NICs. */
  Ring requests(int nic) {
    return new Ring(all.asSlice(2L * nic * Ring.BYTES, Ring.BYTES));
  }

  /** What the process of the NICs tells that of the tests. */
  Ring reports(int nic) {
    return new Ring(all.asSlice((2L * nic + 1) * Ring.BYTES, Ring.BYTES));
  }

  /** Zeros, in the memory of the tests, for as long as that lasts. */
  @Override
  public synchronized MemorySegment allocate(long byteSize, long byteAlignment) {
    if (byteSize > AREA_BYTES / 4 || byteAlignment > ALIGNMENT) {
      throw new IllegalArgumentException(
          "expected at most " + AREA_BYTES / 4 + " bytes, got " + byteSize);
    }
    if (next + byteSize > AREA_BYTES) {
      next = 0;
    }
    MemorySegment given = area.asSlice(next, byteSize).fill((byte) 0);
    next += (byteSize + ALIGNMENT - 1) & -ALIGNMENT;
    return given;
  }

  /** Where memory lies in the area, or -1 if it does not. */
  long offsetOf(MemorySegment segment) {
    long offset = segment.address() - area.address();
    return offset >= 0 && offset + segment.byteSize() <= AREA_BYTES ? offset : -1;
  }

  /** The memory that lies there. */
  MemorySegment at(long offset, long length) {
    return area.asSlice(offset, length);
  }
}
