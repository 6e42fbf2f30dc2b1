package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.Box;
import java.lang.foreign.MemorySegment;

/** A model, and what its tensors hold. */
interface Weights extends AutoCloseable {

  /** Which tensors there are. */
  Model model();

  /** Whether another version has other values. */
  boolean changes();

  /**
   * Writes elements of a tensor without gaps, the last dimension fastest.
   *
   * @param to as long as they are
   */
  void read(Model.Held of, Box box, long version, MemorySegment to);

  @Override
  void close();
}
