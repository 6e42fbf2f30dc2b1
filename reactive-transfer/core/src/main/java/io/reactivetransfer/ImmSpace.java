package io.reactivetransfer;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Hands out immediates and takes them back, so that every group of writes can have one of its own.
 *
 * <p>A value that was given back rests: it is handed out again only after all others that are free,
 * so that a late arrival of a finished group cannot soon be taken for one of a new group. In a
 * space of more than 16,384 values it is at least so many others that go first. Safe from any
 * thread, never blocks for long, belongs to no engine.
 */
public final class ImmSpace {

  /** How many of those given back are remembered in their order; bounds the memory. */
  private static final int MAX_RESTING = 1 << 14;

  private final int first;
  private final int size;
  private final Set<Integer> taken = new HashSet<>();
  private final LinkedHashSet<Integer> resting = new LinkedHashSet<>();
  private int cursor;

  private ImmSpace(int first, int size) {
    this.first = first;
    this.size = size;
  }

  /** The space of all immediates. */
  public static ImmSpace whole() {
    return new ImmSpace(0, Imm.MAX_VALUE + 1);
  }

  /**
   * A part of the space, to be shared out between parts of a program.
   *
   * @param first the first immediate
   * @param size how many, at least 1
   */
  public static ImmSpace of(Imm first, int size) {
    if (size < 1 || size > Imm.MAX_VALUE + 1 - first.value()) {
      throw new IllegalArgumentException(
          "expected 1 to "
              + (Imm.MAX_VALUE + 1 - first.value())
              + " immediates from "
              + first.value()
              + " on, got "
              + size);
    }
    return new ImmSpace(first.value(), size);
  }

  /**
   * Takes the immediate that has been unused for longest.
   *
   * @throws IllegalStateException if all are taken
   */
  public synchronized Imm take() {
    if (taken.size() == size) {
      throw new IllegalStateException(
          "all " + size + " immediates are taken; release some, or use a larger space");
    }
    int index = taken.size() + resting.size() == size ? resting.removeFirst() : nextAtCursor();
    taken.add(index);
    return new Imm(first + index);
  }

  /** The next one in the round that is neither taken nor resting; there is one. */
  private int nextAtCursor() {
    while (taken.contains(cursor) || resting.contains(cursor)) {
      cursor = next(cursor);
    }
    int index = cursor;
    cursor = next(cursor);
    return index;
  }

  /**
   * Gives an immediate back. Do so when nothing that carries it can still arrive.
   *
   * @throws IllegalArgumentException if it was not taken from here
   */
  public synchronized void release(Imm imm) {
    int index = imm.value() - first;
    if (!taken.remove(index)) {
      throw new IllegalArgumentException(
          "expected an immediate taken from this space, got " + imm.value());
    }
    resting.add(index);
    if (resting.size() > MAX_RESTING) {
      resting.removeFirst();
    }
  }

  /** How many are taken. */
  public synchronized int taken() {
    return taken.size();
  }

  private int next(int index) {
    return index + 1 == size ? 0 : index + 1;
  }
}
