package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.PageList;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/**
 * Pages as an engine of its own would own them. What is given back is filled with what nobody
 * writes, and looked at when it is taken again, which is soon: there are few more than are in use.
 */
final class GuardedPages {

  private final Node node;
  private final List<String> faults;
  private final Deque<Integer> free = new ArrayDeque<>();
  private final BitSet isFree = new BitSet();
  private long looked;

  /**
   * All pages of a node.
   *
   * @param faults is told what should not be
   */
  GuardedPages(Node node, List<String> faults) {
    this.node = node;
    this.faults = faults;
    for (int page = 0; page < all(); page++) {
      put(page);
    }
  }

  private int all() {
    return node.memory.layout().pages();
  }

  private int layers() {
    return node.memory.layout().layers();
  }

  private void put(int page) {
    for (int layer = 0; layer < layers(); layer++) {
      Pattern.fill(node.page(layer, page), Pattern.NOBODY, layer, page);
    }
    free.addLast(page);
    isFree.set(page);
  }

  /** So many of them, those that were given back last first. */
  synchronized PageList take(int pages) {
    int[] taken = new int[pages];
    for (int i = 0; i < pages; i++) {
      taken[i] = free.removeLast();
      isFree.clear(taken[i]);
      look(taken[i]);
    }
    return PageList.of(taken);
  }

  private void look(int page) {
    for (int layer = 0; layer < layers(); layer++) {
      looked++;
      if (!Pattern.fills(node.page(layer, page), Pattern.NOBODY, layer, page)) {
        faults.add(
            "page " + page + " of layer " + layer + " was written to after it was given back");
      }
    }
  }

  synchronized void giveBack(PageList pages, int number) {
    for (int page : pages.toArray()) {
      if (isFree.get(page)) {
        faults.add("page " + page + " was given back twice, by hand-over " + number);
      } else {
        put(page);
      }
    }
  }

  /**
   * Looks at all of them, when none is in use; says how many were looked at since the beginning.
   */
  synchronized long lookAtAll() {
    if (free.size() != all()) {
      faults.add("expected " + all() + " pages back, got " + free.size());
    }
    free.forEach(this::look);
    return looked;
  }
}
