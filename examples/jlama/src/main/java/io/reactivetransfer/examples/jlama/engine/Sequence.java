package io.reactivetransfer.examples.jlama.engine;

import com.github.tjake.jlama.tensor.FloatBufferTensor;
import com.github.tjake.jlama.tensor.PagedKvBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A prompt, the blocks that its keys and values are in, and room for what is generated behind it.
 * The blocks are held until all who hold the sequence have released it. Safe from any thread.
 */
public final class Sequence implements PagedKvBuffer.Pages {

  private final BlockStore store;
  private final int[] prompt;
  private final List<Integer> blocks;
  private final FloatBufferTensor[] tensors;
  private final int known;
  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private int holders = 1;

  /**
   * Takes over the blocks.
   *
   * @param known how many of the tokens have their keys and values already
   */
  Sequence(BlockStore store, int[] prompt, List<Integer> blocks, int known) {
    this.store = store;
    this.prompt = prompt;
    this.blocks = List.copyOf(blocks);
    this.known = known;
    int layers = store.layout().model().layers();
    this.tensors = new FloatBufferTensor[blocks.size() * layers * 2];
    for (int i = 0; i < tensors.length; i++) {
      tensors[i] = store.tensor(blocks.get(i / (layers * 2)), i / 2 % layers, i % 2);
    }
  }

  /** How many tokens the prompt has. */
  public int tokens() {
    return prompt.length;
  }

  /** How many of them, from the first one on, had their keys and values in the cache. */
  public int knownTokens() {
    return known;
  }

  /** The tokens of the prompt. */
  int[] prompt() {
    return prompt;
  }

  /** The blocks, in the order of the tokens. */
  List<Integer> blocks() {
    return blocks;
  }

  /**
   * The blocks of the prompt that hold the tokens from this one on, the one before it included if
   * both are in the same block.
   *
   * @param first less than {@link #tokens()}
   */
  public int[] blocksFrom(int first) {
    BlockLayout layout = store.layout();
    return blocks.subList(first / layout.blockTokens(), layout.blocksOf(prompt.length)).stream()
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /** One more holds it, unless nobody does any more; whether that is so. */
  public synchronized boolean tryHold() {
    if (holders == 0) {
      return false;
    }
    holders++;
    return true;
  }

  /** One more holds it, and that somebody does is sure. */
  public void hold() {
    if (!tryHold()) {
      throw notHeld();
    }
  }

  /** One less holds it; with the last one the blocks are released. */
  public void release() {
    synchronized (this) {
      if (holders == 0) {
        throw notHeld();
      }
      if (--holders > 0) {
        return;
      }
    }
    blocks.forEach(store::release);
    released.complete(null);
  }

  private static IllegalStateException notHeld() {
    return new IllegalStateException("expected a sequence that is held, got one that is not");
  }

  /** Completes when nobody holds it any more. */
  public CompletableFuture<Void> released() {
    return released.copy();
  }

  @Override
  public int pageTokens() {
    return store.layout().blockTokens();
  }

  @Override
  public FloatBufferTensor page(int layer, int part, int position) {
    return tensors[(position * store.layout().model().layers() + layer) * 2 + part];
  }
}
