package io.reactivetransfer.examples.jlama.engine;

/** All blocks are held by sequences. */
public final class OutOfBlocksException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  OutOfBlocksException(int blocks) {
    super("expected a free block, got all " + blocks + " held; wait, or make more of them");
  }
}
