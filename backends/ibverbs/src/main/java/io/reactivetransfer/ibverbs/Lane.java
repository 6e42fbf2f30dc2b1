package io.reactivetransfer.ibverbs;

/** Writes in the order in which they were posted, or are to be. Allocates nothing. */
final class Lane {

  private final SendSlots slots;
  private int first = SendSlots.NONE;
  private int last = SendSlots.NONE;
  private int size;

  Lane(SendSlots slots) {
    this.slots = slots;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  int first() {
    return first;
  }

  int last() {
    return last;
  }

  void add(int slot) {
    slots.behind(slot, SendSlots.NONE);
    if (size++ == 0) {
      first = slot;
    } else {
      slots.behind(last, slot);
    }
    last = slot;
  }

  /** The first one, which leaves the lane. */
  int remove() {
    int slot = first;
    first = slots.behind(slot);
    size--;
    return slot;
  }
}
