package io.reactivetransfer.weights.run;

import io.reactivetransfer.Peer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Supplier;

/**
 * What other ranks of the trainer have said of updates that this rank has not begun. Of each of
 * them by itself it knows a few updates, those that it has named last, so that none can have
 * forgotten what another one has said. Not safe for several threads at once.
 *
 * @param <V> what is said
 */
final class Ahead<V> {

  /** Updates of which it knows what one rank has said. */
  static final int MAX_UPDATES = 16;

  private final Map<Peer, SequencedMap<Long, V>> said = new LinkedHashMap<>();

  /**
   * What a rank has said of an update.
   *
   * @param first if it has said nothing so far
   */
  V of(Peer rank, long update, Supplier<V> first) {
    SequencedMap<Long, V> ofRank = said.computeIfAbsent(rank, peer -> new LinkedHashMap<>());
    V known = ofRank.computeIfAbsent(update, number -> first.get());
    if (ofRank.size() > MAX_UPDATES) {
      ofRank.pollFirstEntry();
    }
    return known;
  }

  /** What all ranks have said of an update, which is forgotten here. */
  Map<Peer, V> remove(long update) {
    Map<Peer, V> removed = new LinkedHashMap<>();
    said.forEach((rank, updates) -> {
      V one = updates.remove(update);
      if (one != null) {
        removed.put(rank, one);
      }
    });
    return removed;
  }
}
