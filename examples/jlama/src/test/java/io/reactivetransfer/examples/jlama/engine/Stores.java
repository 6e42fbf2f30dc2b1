package io.reactivetransfer.examples.jlama.engine;

import com.github.tjake.jlama.tensor.PagedKvBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Small models and small memories. */
final class Stores {

  static final ModelShape SHAPE = new ModelShape(3, 64, 96, 4, 2, 64, 256);

  static {
    // Otherwise Jlama looks for another of its artifacts, and warns that it is not there.
    System.setProperty("jlama.force_panama_tensor_operations", "true");
  }

  private Stores() {}

  static BlockStore of(int blockTokens, int blocks) {
    BlockLayout layout = new BlockLayout(SHAPE, blockTokens, blocks);
    MemorySegment memory = Arena.ofAuto().allocate(layout.bytes(), 64);
    memory.fill((byte) 0x5a); // nothing is there that was not written
    return new BlockStore(layout, memory);
  }

  static int[] prompt(int tokens, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return random.ints(tokens, 0, SHAPE.vocabulary()).toArray();
  }

  /** Keys and values of a layer, token after token. */
  static float[] numbers(Sequence sequence, int layer) {
    int length = SHAPE.kvLength();
    float[] numbers = new float[sequence.tokens() * 2 * length];
    for (int i = 0; i < numbers.length; i++) {
      int token = i / (2 * length);
      int part = i / length % 2 == 0 ? PagedKvBuffer.KEYS : PagedKvBuffer.VALUES;
      int block = token / sequence.pageTokens();
      int row = token % sequence.pageTokens();
      numbers[i] = sequence.page(layer, part, block).get(row, i % length);
    }
    return numbers;
  }
}
