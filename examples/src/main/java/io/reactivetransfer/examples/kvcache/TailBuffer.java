package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * What prefill sends last: how long the file is, and a CRC-32C of each page of each layer, computed
 * from the source. Its own CRC-32C is at its end.
 */
record TailBuffer(MemoryRegion region, MemorySegment bytes) {

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long CHECKSUMS = Long.BYTES;

  static long bytes(Shape shape) {
    return CHECKSUMS + (long) shape.allPages() * Integer.BYTES + Integer.BYTES;
  }

  MemorySlice slice() {
    return region.whole();
  }

  void setChecksum(int index, int checksum) {
    bytes.set(INT, CHECKSUMS + (long) index * Integer.BYTES, checksum);
  }

  int checksum(int index) {
    return bytes.get(INT, CHECKSUMS + (long) index * Integer.BYTES);
  }

  long fileBytes() {
    return bytes.get(LONG, 0);
  }

  void seal(long fileBytes) {
    bytes.set(LONG, 0, fileBytes);
    bytes.set(INT, end(), crc(bytes.asSlice(0, end())));
  }

  boolean isSealed() {
    return bytes.get(INT, end()) == crc(bytes.asSlice(0, end()));
  }

  private long end() {
    return bytes.byteSize() - Integer.BYTES;
  }

  static int crc(MemorySegment page) {
    CRC32C checksum = new CRC32C();
    checksum.update(page.asByteBuffer());
    return (int) checksum.getValue();
  }
}
