package io.reactivetransfer.tck;

import java.util.Arrays;

/**
 * What is allocated of a {@link FakeDevice}, by address. To find something allocates nothing, since
 * an engine looks at words of it in each turn.
 */
final class FakeMemory {

  private static final int FIRST_ROOM = 16;
  private static final byte[] NOTHING = {};

  private long[] addresses = new long[FIRST_ROOM];
  private byte[][] bytes = new byte[FIRST_ROOM][];
  private int count;

  /** At an address that is higher than all that were there before. */
  void add(long address, byte[] what) {
    if (count == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * count);
      bytes = Arrays.copyOf(bytes, 2 * count);
    }
    addresses[count] = address;
    bytes[count] = what;
    count++;
  }

  /** What begins there; nothing if nothing does. */
  void remove(long address) {
    int index = Arrays.binarySearch(addresses, 0, count, address);
    if (index >= 0) {
      count--;
      System.arraycopy(addresses, index + 1, addresses, index, count - index);
      System.arraycopy(bytes, index + 1, bytes, index, count - index);
      bytes[count] = NOTHING;
    }
  }

  /** Which one has all bytes of a range; negative if none has. */
  int find(long address, long length) {
    int index = Arrays.binarySearch(addresses, 0, count, address);
    int last = index < 0 ? -index - 2 : index;
    return last >= 0 && address - addresses[last] <= bytes[last].length - length ? last : -1;
  }

  /** The bytes of one that was found. */
  byte[] bytes(int index) {
    return bytes[index];
  }

  /** Where they begin. */
  long address(int index) {
    return addresses[index];
  }

  int count() {
    return count;
  }
}
