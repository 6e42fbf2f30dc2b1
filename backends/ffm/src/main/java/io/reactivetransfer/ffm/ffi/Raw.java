package io.reactivetransfer.ffm.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * Reads and writes memory that a native library owns, by address. One segment over all addresses:
 * an access costs no liveness check and makes no object. An address that is wrong ends the process.
 */
public final class Raw {

  @SuppressWarnings("restricted") // the point of this class
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private Raw() {}

  public static long getLong(long address) {
    return ALL.get(JAVA_LONG, address);
  }

  public static long getUnaligned(long address) {
    return ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  public static int getInt(long address) {
    return ALL.get(JAVA_INT, address);
  }

  public static int getUnsignedShort(long address) {
    return Short.toUnsignedInt(ALL.get(JAVA_SHORT, address));
  }

  public static int getUnsignedByte(long address) {
    return Byte.toUnsignedInt(ALL.get(JAVA_BYTE, address));
  }

  public static void putLong(long address, long value) {
    ALL.set(JAVA_LONG, address, value);
  }

  public static void putByte(long address, byte value) {
    ALL.set(JAVA_BYTE, address, value);
  }

  public static void putShort(long address, short value) {
    ALL.set(JAVA_SHORT, address, value);
  }

  public static void putInt(long address, int value) {
    ALL.set(JAVA_INT, address, value);
  }

  /** Copies bytes from an address. */
  public static void get(long address, byte[] into) {
    MemorySegment.copy(ALL, JAVA_BYTE, address, into, 0, into.length);
  }

  /** Copies bytes to an address. */
  public static void put(long address, byte[] from) {
    MemorySegment.copy(from, 0, ALL, JAVA_BYTE, address, from.length);
  }

  /** Sets bytes to 0. */
  public static void clear(long address, long bytes) {
    ALL.asSlice(address, bytes).fill((byte) 0);
  }

  /** The text at an address, empty if that is 0. */
  public static String getString(long address) {
    return address == 0 ? "" : ALL.getString(address);
  }
}
