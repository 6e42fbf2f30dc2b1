package io.reactivetransfer.kvcache;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Mappings to the layouts of decode nodes, kept to save time: those that were used last. Only of
 * requests that were not refused, and bounded by how long the layouts are, since others say that.
 * Safe from any thread.
 */
final class KnownMappings {

  private static final int MAX = 64;

  /** Twice as many as one layout may have; a place takes some 40 bytes. */
  private static final int MAX_PLACES = 1 << 17;

  private final LinkedHashMap<KvLayout, KvMapping> known = new LinkedHashMap<>(16, 0.75f, true);
  private int places;

  synchronized @Nullable KvMapping of(KvLayout target) {
    return known.get(target);
  }

  /** Keeps it, and forgets those that were used longest ago, if there are too many. */
  synchronized void add(KvMapping mapping) {
    if (known.putIfAbsent(mapping.target(), mapping) == null) {
      places += placesOf(mapping.target());
      while (known.size() > MAX || places > MAX_PLACES) {
        Map.Entry<KvLayout, KvMapping> oldest = known.firstEntry();
        known.remove(oldest.getKey());
        places -= placesOf(oldest.getKey());
      }
    }
  }

  /** How many are kept. */
  synchronized int size() {
    return known.size();
  }

  private static int placesOf(KvLayout layout) {
    return layout.layers() * layout.parts().size();
  }
}
