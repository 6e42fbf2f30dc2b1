package io.reactivetransfer.tools.soak;

/** One of the two sides, wherever it runs. Several threads may ask at the same time. */
interface Side extends AutoCloseable {

  /**
   * Has it do what the line says, a word and what belongs to it.
   *
   * @throws SoakFailure if it found a promise broken, or is gone
   */
  String ask(String line) throws InterruptedException;

  /** Ends it, and whatever it still does. */
  @Override
  void close();
}
