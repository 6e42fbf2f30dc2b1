package io.reactivetransfer.staging;

import java.util.Arrays;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the immediates of the second NIC stand for: random ones, so that no peer hits what was given
 * to another one but by guessing 32 bits. Looked up for each piece, so nothing is allocated there.
 */
final class Immediates {

  private final IntSupplier random;
  private int[] keys = new int[32];
  private @Nullable Object[] values = new Object[32];
  private int count;

  Immediates(IntSupplier random) {
    this.random = random;
  }

  /** Draws one that stands for this from now on. */
  int add(Object value) {
    int key = random.getAsInt();
    while (indexOf(key) >= 0) {
      key = random.getAsInt();
    }
    int at = -indexOf(key) - 1;
    if (count == keys.length) {
      keys = Arrays.copyOf(keys, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
    }
    System.arraycopy(keys, at, keys, at + 1, count - at);
    System.arraycopy(values, at, values, at + 1, count - at);
    keys[at] = key;
    values[at] = value;
    count++;
    return key;
  }

  private int indexOf(int key) {
    return Arrays.binarySearch(keys, 0, count, key);
  }

  /** What it stands for; null if for nothing. */
  @Nullable Object find(int key) {
    int at = indexOf(key);
    return at < 0 ? null : values[at];
  }

  /** It stands for nothing any more. */
  void remove(int key) {
    int at = indexOf(key);
    if (at >= 0) {
      count--;
      System.arraycopy(keys, at + 1, keys, at, count - at);
      System.arraycopy(values, at + 1, values, at, count - at);
      values[count] = null;
    }
  }
}
