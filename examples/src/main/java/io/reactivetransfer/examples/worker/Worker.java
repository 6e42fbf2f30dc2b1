package io.reactivetransfer.examples.worker;

/**
 * One side of what an example does: opens its engine once, and does what it is asked, as often as
 * it is. A question is a word and what belongs to it, and so is the answer.
 */
public interface Worker extends AutoCloseable {

  /** Does what the line says. */
  String answer(String line) throws Exception;

  @Override
  void close();
}
