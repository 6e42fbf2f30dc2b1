package io.reactivetransfer.examples.observe;

/**
 * A part of a {@link Scenario}.
 *
 * @param name one word, which is the beginning of what is said of it
 * @param happens what is so from its beginning on, in one line
 * @param begin makes it so, and returns at once
 */
record Act(String name, String happens, Beginning begin) {

  /** What changes. */
  @FunctionalInterface
  interface Beginning {
    void run() throws Exception;
  }
}
