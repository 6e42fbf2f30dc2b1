package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait: decode nodes take turns, and those of one node come in their order. So who
 * has many requests waiting is served no more often than one that has few. Not for several threads
 * at once.
 */
final class WaitingRequests {

  /** Nodes that have requests here, the one whose turn it is at first. */
  private final LinkedHashMap<EngineId, LinkedHashSet<KvRequest>> nodes = new LinkedHashMap<>();

  /** Puts it behind the others of its node, and a node that had none behind the other nodes. */
  void add(KvRequest request) {
    nodes.computeIfAbsent(request.decode().id(), id -> new LinkedHashSet<>()).add(request);
  }

  /** Puts it before all others. */
  void addFirst(KvRequest request) {
    EngineId node = request.decode().id();
    LinkedHashSet<KvRequest> own = nodes.remove(node);
    if (own == null) {
      own = new LinkedHashSet<>();
    }
    own.addFirst(request);
    nodes.putFirst(node, own);
  }

  /** Whether it was there. */
  boolean remove(KvRequest request) {
    EngineId node = request.decode().id();
    LinkedHashSet<KvRequest> own = nodes.get(node);
    if (own == null || !own.remove(request)) {
      return false;
    }
    if (own.isEmpty()) {
      nodes.remove(node);
    }
    return true;
  }

  /** Takes the next one, after which it is another node's turn; null if there is none. */
  @Nullable KvRequest poll() {
    Map.Entry<EngineId, LinkedHashSet<KvRequest>> turn = nodes.pollFirstEntry();
    if (turn == null) {
      return null;
    }
    KvRequest request = turn.getValue().removeFirst();
    if (!turn.getValue().isEmpty()) {
      nodes.put(turn.getKey(), turn.getValue());
    }
    return request;
  }

  boolean isEmpty() {
    return nodes.isEmpty();
  }

  int size() {
    return nodes.values().stream().mapToInt(LinkedHashSet::size).sum();
  }

  /** Takes all. */
  List<KvRequest> clear() {
    List<KvRequest> all = new ArrayList<>();
    nodes.values().forEach(all::addAll);
    nodes.clear();
    return all;
  }
}
