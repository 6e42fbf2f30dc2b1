package io.reactivetransfer.tools.perf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** Bytes that a seed decides, and their checksum. */
final class Content {

  /** A buffer shows no more than this of a segment. */
  private static final long CHUNK = 1 << 30;

  private Content() {}

  static void fill(MemorySegment memory, long seed) {
    fill(memory, new SplittableRandom(seed));
  }

  /** The next bytes; the same as at once, where what was taken before was a multiple of 8 bytes. */
  static void fill(MemorySegment memory, SplittableRandom random) {
    long whole = memory.byteSize() & -Long.BYTES;
    for (long at = 0; at < whole; at += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, random.nextLong());
    }
    for (long at = whole; at < memory.byteSize(); at++) {
      memory.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
    }
  }

  static long checksum(MemorySegment memory) {
    CRC32C checksum = new CRC32C();
    for (long at = 0; at < memory.byteSize(); at += CHUNK) {
      checksum.update(memory.asSlice(at, Math.min(CHUNK, memory.byteSize() - at)).asByteBuffer());
    }
    return checksum.getValue();
  }

  static long checksum(ByteBuffer bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes);
    return checksum.getValue();
  }
}
