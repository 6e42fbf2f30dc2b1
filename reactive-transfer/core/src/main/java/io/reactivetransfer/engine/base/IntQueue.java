package io.reactivetransfer.engine.base;

import java.util.Arrays;

/** A queue of numbers, which grows and allocates nothing in a steady state. */
public final class IntQueue {

  private int[] ring = new int[64];
  private int head;
  private int tail;

  public int size() {
    return tail - head;
  }

  public boolean isEmpty() {
    return head == tail;
  }

  public void add(int value) {
    if (size() == ring.length) {
      grow();
    }
    ring[tail++ & ring.length - 1] = value;
  }

  /** The first of those that are there. */
  public int first() {
    return ring[head & ring.length - 1];
  }

  /** Takes the first of those that are there. */
  public int take() {
    return ring[head++ & ring.length - 1];
  }

  private void grow() {
    int[] grown = Arrays.copyOf(ring, 2 * ring.length);
    for (int at = head; at != tail; at++) {
      grown[at & grown.length - 1] = ring[at & ring.length - 1];
    }
    ring = grown;
  }
}
