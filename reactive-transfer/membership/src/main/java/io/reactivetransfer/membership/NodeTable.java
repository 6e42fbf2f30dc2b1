package io.reactivetransfer.membership;

import io.reactivetransfer.membership.NodeChange.Changed;
import io.reactivetransfer.membership.NodeChange.Joined;
import io.reactivetransfer.membership.NodeChange.Left;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one subscriber was told of each node, what is so now, and the names where that differs, the
 * one that has differed for longest first. So it holds no more than the nodes that are there and
 * those that the subscriber believes to be there. The lock is held for one look into a map, or for
 * one walk over the nodes when all of them are told.
 */
final class NodeTable {

  private final int maxNodes;
  private final Map<String, Node> told = new HashMap<>();
  private final Map<String, Node> current = new HashMap<>();
  private final LinkedHashSet<String> differing = new LinkedHashSet<>();

  /**
   * An empty one.
   *
   * @param maxNodes the most that may be there
   */
  NodeTable(int maxNodes) {
    this.maxNodes = maxNodes;
  }

  /** A node is there; returns whether there are no more than may be. */
  synchronized boolean put(Node node) {
    current.put(node.name(), node);
    compare(node.name());
    return current.size() <= maxNodes;
  }

  /** No node of that name is there. */
  synchronized void remove(String name) {
    current.remove(name);
    compare(name);
  }

  /** These are there, and no others; returns whether they are no more than may be. */
  synchronized boolean replace(Collection<Node> nodes) {
    Map<String, Node> next = new LinkedHashMap<>();
    nodes.forEach(node -> next.put(node.name(), node));
    List<String> missing = new ArrayList<>(current.keySet());
    missing.removeAll(next.keySet());
    missing.forEach(this::remove);
    current.putAll(next);
    next.keySet().forEach(this::compare);
    return current.size() <= maxNodes;
  }

  private void compare(String name) {
    if (Objects.equals(told.get(name), current.get(name))) {
      differing.remove(name);
    } else {
      differing.add(name);
    }
  }

  /** What is to be told next, which counts as told; null if the subscriber knows all. */
  synchronized @Nullable NodeChange next() {
    if (differing.isEmpty()) {
      return null;
    }
    String name = differing.removeFirst();
    Node now = current.get(name);
    if (now == null) {
      return new Left(Objects.requireNonNull(told.remove(name)));
    }
    Node before = told.put(name, now);
    return before == null ? new Joined(now) : new Changed(before, now);
  }

  /** How many nodes it remembers something of. */
  synchronized int size() {
    return told.size() + current.size() + differing.size();
  }
}
