package io.reactivetransfer.kvcache;

/** A part of a hand-over that is done, at the completion level of the engine. */
public sealed interface KvWritten {

  /** How many bytes it was. */
  long bytes();

  /**
   * Pages of one layer.
   *
   * @param layer which layer
   * @param pages how many of its pages
   * @param bytes of all of them
   */
  record Pages(int layer, int pages, long bytes) implements KvWritten {}

  /**
   * The tail.
   *
   * @param bytes its length
   */
  record Tail(long bytes) implements KvWritten {}
}
