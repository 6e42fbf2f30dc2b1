package io.reactivetransfer.libfabric.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * Reads and writes memory that libfabric owns, by address. One segment over all addresses: an
 * access costs no liveness check and makes no object.
 */
final class Raw {

  @SuppressWarnings("restricted") // the point of this class
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private Raw() {}

  static long getLong(long address) {
    return ALL.get(JAVA_LONG, address);
  }

  static long getUnaligned(long address) {
    return ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  static int getInt(long address) {
    return ALL.get(JAVA_INT, address);
  }

  static int getUnsignedShort(long address) {
    return Short.toUnsignedInt(ALL.get(JAVA_SHORT, address));
  }

  static int getUnsignedByte(long address) {
    return Byte.toUnsignedInt(ALL.get(JAVA_BYTE, address));
  }

  static void putLong(long address, long value) {
    ALL.set(JAVA_LONG, address, value);
  }

  static void putInt(long address, int value) {
    ALL.set(JAVA_INT, address, value);
  }

  /** The text at an address, empty if that is 0. */
  static String getString(long address) {
    return address == 0 ? "" : ALL.getString(address);
  }
}
