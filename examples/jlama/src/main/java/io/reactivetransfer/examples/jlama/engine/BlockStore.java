package io.reactivetransfer.examples.jlama.engine;

import com.github.tjake.jlama.tensor.FloatBufferTensor;
import com.github.tjake.jlama.tensor.TensorShape;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Blocks of keys and values, each with the number of those who hold it: sequences, the cache of
 * prefixes, and whoever else must be sure that a block is not given to somebody else meanwhile.
 * Safe from any thread.
 */
public final class BlockStore {

  private final BlockLayout layout;
  private final MemorySegment memory;
  private final int[] holders;
  private final Deque<Integer> free = new ArrayDeque<>();

  /** In this memory, which stays the caller's. */
  public BlockStore(BlockLayout layout, MemorySegment memory) {
    if (memory.byteSize() < layout.bytes()) {
      throw new IllegalArgumentException(
          "expected memory of " + layout.bytes() + " bytes, got " + memory.byteSize());
    }
    this.layout = layout;
    this.memory = memory;
    this.holders = new int[layout.blocks()];
    for (int block = 0; block < layout.blocks(); block++) {
      free.push(block); // the last one is taken first: nothing is to rely on an order
    }
  }

  /** Where the blocks lie. */
  public BlockLayout layout() {
    return layout;
  }

  /** A free block, held once, or -1 if there is none. */
  synchronized int take() {
    Integer block = free.poll();
    if (block == null) {
      return -1;
    }
    holders[block] = 1;
    return block;
  }

  /** One more holds a block that is held. */
  synchronized void hold(int block) {
    requireHeld(block);
    holders[block]++;
  }

  /** One less holds it; the last one makes it free. */
  synchronized void release(int block) {
    requireHeld(block);
    if (--holders[block] == 0) {
      free.push(block);
    }
  }

  /** How many hold a block. */
  synchronized int holders(int block) {
    return holders[block];
  }

  /** How many blocks nobody holds. */
  public synchronized int free() {
    return free.size();
  }

  /** How many times blocks are held, all together. */
  synchronized int holds() {
    return Arrays.stream(holders).sum();
  }

  private void requireHeld(int block) {
    if (holders[block] < 1) {
      throw new IllegalStateException("expected block " + block + " to be held, got a free one");
    }
  }

  /** Keys or values of a block in a layer: a row for each token. */
  FloatBufferTensor tensor(int block, int layer, int part) {
    long offset = block * layout.blockBytes() + layout.offset(layer, part);
    MemorySegment bytes = memory.asSlice(offset, layout.partBytes());
    return new FloatBufferTensor(
        bytes.asByteBuffer().order(ByteOrder.nativeOrder()).asFloatBuffer(),
        TensorShape.of(layout.blockTokens(), layout.model().kvLength()),
        true);
  }
}
