package io.reactivetransfer.weights.run;

import java.util.Map;
import java.util.TreeMap;

/**
 * Where the temporaries of steps lie, decided once: each behind the one before, and from the
 * beginning again where the end is too near. A step waits for those before it whose place it has;
 * those that waited for the same place earlier began earlier, so each step is waited for by one at
 * most. The places are the same in every run, and so are the writes from them.
 */
final class Room {

  private static final long ALIGNMENT = 64;

  private final long capacity;
  private final TreeMap<Long, Taken> taken = new TreeMap<>();
  private long next;
  private long extent;

  /** Who has a place, until somebody else has a part of it. */
  private record Taken(StepState step, long end) {}

  Room(long capacity) {
    this.capacity = capacity;
  }

  /** How many bytes are ever used. */
  long extent() {
    return extent;
  }

  /** Gives a step its place; it needs at least one byte, and no more than there are. */
  void place(StepState step) {
    long offset = Math.ceilDiv(next, ALIGNMENT) * ALIGNMENT;
    if (offset > capacity - step.temporaryBytes) {
      offset = 0;
    }
    long end = offset + step.temporaryBytes;
    Map.Entry<Long, Taken> first = taken.floorEntry(offset);
    while (first != null && first.getValue().end > offset) {
      waitFor(step, first);
      first = taken.floorEntry(offset);
    }
    for (Map.Entry<Long, Taken> one = taken.ceilingEntry(offset);
        one != null && one.getKey() < end;
        one = taken.ceilingEntry(offset)) {
      waitFor(step, one);
    }
    step.offset = offset;
    taken.put(offset, new Taken(step, end));
    next = end;
    extent = Math.max(extent, end);
  }

  private void waitFor(StepState step, Map.Entry<Long, Taken> before) {
    before.getValue().step.successor = step;
    step.predecessors++;
    taken.remove(before.getKey());
  }
}
