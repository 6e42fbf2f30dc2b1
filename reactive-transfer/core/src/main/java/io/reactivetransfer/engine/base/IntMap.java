package io.reactivetransfer.engine.base;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A map from non-negative integers, which boxes nothing: the table of immediates is asked for every
 * arrival. Open addressing with linear probing; removal closes the gap.
 */
public final class IntMap<V> {

  private static final int FREE = -1;

  private int[] keys = new int[16];
  private @Nullable Object[] values = new Object[16];
  private int size;

  private final int seed;

  /**
   * Nothing is in it.
   *
   * @param seed not to be known to those who choose the keys, who could have all of them meet
   */
  public IntMap(int seed) {
    this.seed = seed;
    Arrays.fill(keys, FREE);
  }

  public int size() {
    return size;
  }

  public @Nullable V get(int key) {
    return valueAt(find(key));
  }

  public void put(int key, V value) {
    if (size * 2 >= keys.length) {
      grow();
    }
    int at = find(key);
    if (keys[at] == FREE) {
      keys[at] = key;
      size++;
    }
    values[at] = value;
  }

  public void remove(int key) {
    int gap = find(key);
    if (keys[gap] == FREE) {
      return;
    }
    size--;
    int mask = keys.length - 1;
    for (int at = gap + 1 & mask; keys[at] != FREE; at = at + 1 & mask) {
      int home = home(keys[at], mask);
      // what lies behind the gap moves into it, unless that would put it before its home
      if ((at - home & mask) >= (at - gap & mask)) {
        keys[gap] = keys[at];
        values[gap] = values[at];
        gap = at;
      }
    }
    keys[gap] = FREE;
    values[gap] = null;
  }

  /** In an order that hangs on the seed. */
  public void forEach(Consumer<V> visitor) {
    for (int at = 0; at < keys.length; at++) {
      V value = valueAt(at);
      if (value != null) {
        visitor.accept(value);
      }
    }
  }

  private int find(int key) {
    int mask = keys.length - 1;
    int at = home(key, mask);
    while (keys[at] != FREE && keys[at] != key) {
      at = at + 1 & mask;
    }
    return at;
  }

  private int home(int key, int mask) {
    int mixed = (key ^ seed) * 0x9E3779B9;
    mixed = (mixed ^ mixed >>> 15) * 0x85EBCA6B;
    return (mixed ^ mixed >>> 16) & mask;
  }

  private void grow() {
    int[] oldKeys = keys;
    @Nullable Object[] oldValues = values;
    keys = new int[oldKeys.length * 2];
    values = new Object[keys.length];
    Arrays.fill(keys, FREE);
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != FREE) {
        int at = find(oldKeys[i]);
        keys[at] = oldKeys[i];
        values[at] = oldValues[i];
      }
    }
  }

  @SuppressWarnings("unchecked") // only V goes in
  private @Nullable V valueAt(int at) {
    return (V) values[at];
  }
}
