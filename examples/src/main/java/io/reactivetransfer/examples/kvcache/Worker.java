package io.reactivetransfer.examples.kvcache;

/**
 * One side of what is measured: opens its engine once, and does what it is asked, as often as it
 * is. A question is a word and what belongs to it, and so is the answer.
 */
interface Worker extends AutoCloseable {

  /** Does what the line says. */
  String answer(String line) throws Exception;

  @Override
  void close();
}
