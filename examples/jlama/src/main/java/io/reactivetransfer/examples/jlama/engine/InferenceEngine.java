package io.reactivetransfer.examples.jlama.engine;

import com.github.tjake.jlama.tensor.KvBufferCache.KvBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;

/**
 * A model, its blocks and its cache of prefixes. Computes one thing after the other, whoever asks,
 * and on the thread that asks.
 *
 * <p>Whatever it knows of a prompt before it begins, and in however many pieces it computes the
 * rest, it computes the same, up to the last bits: Jlama adds the lanes of a vector in the order
 * that the JVM chooses, and a JVM chooses another one once it has compiled the code. A token is the
 * largest of some numbers, which last bits do not change unless two of them are as good as equal.
 */
public final class InferenceEngine implements AutoCloseable {

  private final RandomLlama model;
  private final BlockStore store;
  private final PrefixCache cache;
  private final Set<Sequence> open = ConcurrentHashMap.newKeySet();

  /** With a model that the seed decides. */
  public InferenceEngine(BlockStore store, long seed) {
    this.model = new RandomLlama(store.layout().model(), seed);
    this.store = store;
    this.cache = new PrefixCache(store);
  }

  /** The blocks. */
  public BlockStore store() {
    return store;
  }

  /** How many blocks the cache of prefixes holds. */
  public int cachedBlocks() {
    return cache.size();
  }

  /** How many times blocks are held beside by the cache; 0 when no sequence is open. */
  public int holds() {
    return store.holds() - cache.size();
  }

  /** Completes when all sequences that are open now have been released. */
  public CompletableFuture<Void> idle() {
    return CompletableFuture.allOf(
        open.stream().map(Sequence::released).toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Begins a prompt whose last hidden state will be computed here: of the prefix that is known, at
   * least the last token stays to do.
   *
   * @param room how many tokens will be generated behind it
   * @throws OutOfBlocksException if too few blocks are free
   */
  public Sequence beginToCompute(int[] prompt, int room) {
    return begin(prompt, room, (prompt.length - 1) / store.layout().blockTokens());
  }

  /**
   * Begins a prompt whose last hidden state somebody else will tell.
   *
   * @param room how many tokens will be generated behind it
   * @throws OutOfBlocksException if too few blocks are free
   */
  public Sequence beginToReceive(int[] prompt, int room) {
    return begin(prompt, room, Integer.MAX_VALUE);
  }

  private Sequence begin(int[] prompt, int room, int mostKnown) {
    List<Integer> blocks = new ArrayList<>(cache.find(prompt, mostKnown));
    int known = blocks.size() * store.layout().blockTokens();
    try {
      while (blocks.size() < store.layout().blocksOf(prompt.length + room)) {
        blocks.add(cache.take());
      }
    } catch (OutOfBlocksException e) {
      blocks.forEach(store::release);
      throw e;
    }
    Sequence sequence = new Sequence(store, prompt.clone(), blocks, known);
    open.add(sequence);
    var _ = sequence.released().thenRun(() -> open.remove(sequence));
    return sequence;
  }

  /**
   * Computes keys and values of the tokens of the prompt that are not known.
   *
   * @param layerDone is told on this thread when those of a layer are all there; what it throws
   *     ends the computation
   * @return the last hidden state
   */
  public float[] prefill(Sequence sequence, IntConsumer layerDone) {
    int[] prompt = sequence.prompt();
    int known = sequence.knownTokens();
    int[] rest = Arrays.copyOfRange(prompt, known, prompt.length);
    synchronized (model) {
      return model.prefill(rest, known, model.buffer(sequence), layerDone);
    }
  }

  /** The keys and values of the whole prompt are there: its full blocks are known from now on. */
  public void remember(Sequence sequence) {
    cache.add(sequence.prompt(), sequence.blocks());
  }

  /**
   * Generates tokens behind a prompt, and keeps their keys and values in the sequence.
   *
   * @param state the last hidden state of the prompt
   * @param seed decides between likely tokens
   * @param token is told each one
   */
  public void generate(Sequence sequence, float[] state, int count, long seed, IntConsumer token) {
    Random chance = new Random(seed);
    synchronized (model) {
      KvBuffer buffer = model.buffer(sequence);
      int next = model.sample(state, chance);
      token.accept(next);
      for (int i = 1; i < count; i++) {
        int position = sequence.tokens() + i - 1;
        next = model.next(next, position, buffer, chance);
        token.accept(next);
      }
    }
  }

  /** Prompt to tokens, all in here, with nothing known before and nothing kept. */
  public int[] complete(int[] prompt, int count, long seed) {
    Sequence sequence = begin(prompt, count, 0);
    try {
      float[] state = prefill(sequence, layer -> {});
      int[] tokens = new int[count];
      int[] at = {0};
      generate(sequence, state, count, seed, token -> tokens[at[0]++] = token);
      return tokens;
    } finally {
      sequence.release();
    }
  }

  @Override
  public void close() {
    model.close();
  }
}
