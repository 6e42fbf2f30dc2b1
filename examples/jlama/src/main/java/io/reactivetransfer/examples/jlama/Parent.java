package io.reactivetransfer.examples.jlama;

/** Who has started a node, as the node sees it: another process, or another thread. */
interface Parent {

  /** Tells it something: a word and the rest of a line. */
  void tell(String word, String rest);

  /** Waits for a line that begins with this word; returns the rest of it. */
  String await(String word) throws InterruptedException;
}
