package io.reactivetransfer.examples.jlama.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Blocks whose tokens are known, found by the tokens from the beginning of a prompt on: a tree with
 * a block at each node. It holds each of its blocks once, and gives up what was not asked for the
 * longest when blocks run out. Only full blocks are in it; nobody writes to them any more. Safe
 * from any thread.
 */
final class PrefixCache {

  private static final class Node {
    final @Nullable Node parent;
    final List<Integer> tokens;
    final int block;
    final Map<List<Integer>, Node> children = new HashMap<>();
    long lastUsed;

    Node(@Nullable Node parent, List<Integer> tokens, int block) {
      this.parent = parent;
      this.tokens = tokens;
      this.block = block;
    }
  }

  private final BlockStore store;
  private final Node root = new Node(null, List.of(), -1);
  private long uses;
  private int size;

  PrefixCache(BlockStore store) {
    this.store = store;
  }

  /** How many blocks it holds. */
  synchronized int size() {
    return size;
  }

  /**
   * The blocks of the longest known prefix, each held once more for the caller.
   *
   * @param most how many blocks the caller can use
   */
  synchronized List<Integer> find(int[] prompt, int most) {
    List<Integer> blocks = new ArrayList<>();
    Node node = root;
    for (int i = 0; i < Math.min(most, fullBlocks(prompt)); i++) {
      Node child = node.children.get(tokens(prompt, i));
      if (child == null) {
        break;
      }
      child.lastUsed = ++uses;
      store.hold(child.block);
      blocks.add(child.block);
      node = child;
    }
    return blocks;
  }

  /** Knows the full blocks of this prompt from now on; what it knows already stays as it is. */
  synchronized void add(int[] prompt, List<Integer> blocks) {
    Node node = root;
    for (int i = 0; i < fullBlocks(prompt); i++) {
      List<Integer> tokens = tokens(prompt, i);
      Node child = node.children.get(tokens);
      if (child == null) {
        child = new Node(node, tokens, blocks.get(i));
        store.hold(child.block);
        node.children.put(tokens, child);
        size++;
      }
      child.lastUsed = ++uses;
      node = child;
    }
  }

  /**
   * A block from the store; while none is free, gives up what nobody else holds.
   *
   * @throws OutOfBlocksException if all are held by others
   */
  synchronized int take() {
    while (true) {
      int block = store.take();
      if (block >= 0) {
        return block;
      }
      Node oldest = oldestLeaf(root, null);
      if (oldest == null) {
        throw new OutOfBlocksException(store.layout().blocks());
      }
      forget(oldest);
    }
  }

  private void forget(Node leaf) {
    if (leaf.parent != null) {
      leaf.parent.children.remove(leaf.tokens);
    }
    size--;
    store.release(leaf.block);
  }

  /** Only leaves go: behind a node that has gone, nobody would find the others. */
  private @Nullable Node oldestLeaf(Node node, @Nullable Node oldest) {
    for (Node child : node.children.values()) {
      if (!child.children.isEmpty()) {
        oldest = oldestLeaf(child, oldest);
      } else if (store.holders(child.block) == 1
          && (oldest == null || child.lastUsed < oldest.lastUsed)) {
        oldest = child;
      }
    }
    return oldest;
  }

  private int fullBlocks(int[] prompt) {
    return prompt.length / store.layout().blockTokens();
  }

  private List<Integer> tokens(int[] prompt, int block) {
    int length = store.layout().blockTokens();
    return Arrays.stream(prompt, block * length, (block + 1) * length).boxed().toList();
  }
}
