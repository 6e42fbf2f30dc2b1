package io.reactivetransfer;

import java.util.HashSet;
import java.util.Set;

/**
 * Hands out immediates and takes them back, so that every group of writes can have one of its own.
 *
 * <p>A value that was given back is handed out again only after all others of the space: a late
 * arrival of a finished group cannot soon be taken for one of a new group. Safe from any thread,
 * never blocks for long, belongs to no engine.
 */
public final class ImmSpace {

  private final int first;
  private final int size;
  private final Set<Integer> taken = new HashSet<>();
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
    while (!taken.add(cursor)) {
      cursor = next(cursor);
    }
    Imm imm = new Imm(first + cursor);
    cursor = next(cursor);
    return imm;
  }

  /**
   * Gives an immediate back. Do so when nothing that carries it can still arrive.
   *
   * @throws IllegalArgumentException if it was not taken from here
   */
  public synchronized void release(Imm imm) {
    if (!taken.remove(imm.value() - first)) {
      throw new IllegalArgumentException(
          "expected an immediate taken from this space, got " + imm.value());
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
