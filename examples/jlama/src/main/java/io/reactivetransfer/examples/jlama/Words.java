package io.reactivetransfer.examples.jlama;

/** The words of which nodes and the one who started them make their lines. */
final class Words {

  /** From a node: here it is reached. */
  static final String ADDRESS = "address";

  /** To a decode node: the addresses of its prefill nodes, with a blank between each two. */
  static final String PEERS = "peers";

  /** From a prefill node: a {@link Served}. */
  static final String SERVED = "served";

  /** From a prefill node: of which round it stopped the computation, and behind how many layers. */
  static final String STOPPED = "stopped";

  /** From a decode node: a {@link Done}. */
  static final String ROUND = "round";

  /** From a decode node: the position of the prefill node that is to be killed now. */
  static final String KILL = "kill";

  /**
   * From a decode node: the position of the prefill node that it found lost, in which round, when,
   * the reason, and what it was told.
   */
  static final String LOST = "lost";

  /** From a decode node: of which round, and how long after its end its blocks were free. */
  static final String QUIET = "quiet";

  /** From a decode node: that was all. */
  static final String FINISHED = "finished";

  /** To a node: nobody needs it any more. */
  static final String STOP = "stop";

  /** From a node, last: blocks that sequences still hold, blocks in its cache, all blocks. */
  static final String BLOCKS = "blocks";

  private Words() {}

  /**
   * What stands behind a word.
   *
   * @throws IllegalStateException if the line begins with another one
   */
  static String restOf(String line, String word) {
    if (!line.startsWith(word + " ")) {
      throw new IllegalStateException("expected to be told '" + word + "', got '" + line + "'");
    }
    return line.substring(word.length() + 1);
  }
}
