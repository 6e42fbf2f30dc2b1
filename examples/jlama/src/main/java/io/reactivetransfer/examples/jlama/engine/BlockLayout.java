package io.reactivetransfer.examples.jlama.engine;

import com.github.tjake.jlama.tensor.PagedKvBuffer;

/**
 * Where keys and values lie: block after block, in each block layer after layer, and of a layer
 * first the keys of its tokens, then their values.
 *
 * @param model whose
 * @param blockTokens tokens of a block
 * @param blocks how many blocks
 */
public record BlockLayout(ModelShape model, int blockTokens, int blocks) {

  private static final int PARTS = 2;

  /** Checks the sizes. */
  public BlockLayout {
    if (blockTokens < 1 || blocks < 1) {
      throw new IllegalArgumentException(
          "expected 1 or more blocks of 1 or more tokens, got " + blocks + " of " + blockTokens);
    }
  }

  /** Bytes of the keys of a token in a layer, and of its values. */
  public int tokenBytes() {
    return model.kvLength() * Float.BYTES;
  }

  /** Bytes of the keys of a block in a layer, and of its values. */
  public long partBytes() {
    return (long) blockTokens * tokenBytes();
  }

  /** Bytes of a block: from one to the next one. */
  public long blockBytes() {
    return (long) model.layers() * PARTS * partBytes();
  }

  /** Bytes of all. */
  public long bytes() {
    return blocks * blockBytes();
  }

  /**
   * Where a part of a layer begins within each block.
   *
   * @param part {@link PagedKvBuffer#KEYS} or {@link PagedKvBuffer#VALUES}
   */
  public long offset(int layer, int part) {
    return ((long) layer * PARTS + part) * partBytes();
  }

  /** How many blocks so many tokens take. */
  public int blocksOf(int tokens) {
    return Math.ceilDiv(tokens, blockTokens);
  }
}
