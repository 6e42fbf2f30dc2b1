package io.reactivetransfer.kvcache;

/** A part of a hand-over that is done, at the completion level of the engine. */
public sealed interface KvWritten {

  /** How many bytes it was. */
  long bytes();

  /**
   * A layer, or a chunk of one.
   *
   * @param layer the model's number of the layer
   * @param span which tokens of it
   * @param bytes of all their pages
   */
  record Layer(int layer, KvSpan span, long bytes) implements KvWritten {}

  /**
   * The tail.
   *
   * @param bytes its length
   */
  record Tail(long bytes) implements KvWritten {}
}
