package io.reactivetransfer.micrometer;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * As many things as the limit allows, by the names that an application gives, and one for all
 * others. They stay. From any thread.
 */
final class Named<T> {

  /** The name of those that are one too many. */
  static final String OTHER = "other";

  private static final int MOST = 10_000;

  private final int limit;
  private final Function<String, T> maker;
  private final Map<String, T> all = new ConcurrentHashMap<>();

  /** What all further names get; null while there is room for one. */
  private volatile @Nullable T other;

  Named(int limit, Function<String, T> maker) {
    this.limit = limit;
    this.maker = maker;
  }

  /**
   * A limit that an application has chosen.
   *
   * @param what they are, such as {@code peers}
   */
  static int requireLimit(int limit, String what) {
    if (limit < 0 || limit > MOST) {
      throw new IllegalArgumentException("expected 0 to 10,000 " + what + ", got " + limit);
    }
    return limit;
  }

  T of(String name) {
    T known = all.get(name);
    if (known != null) {
      return known;
    }
    T rest = other; // one look, not a lock for each event of a name that is one too many
    return rest != null ? rest : make(name);
  }

  private synchronized T make(String name) {
    if (all.containsKey(name) || size() < limit) {
      return all.computeIfAbsent(name, maker);
    }
    T rest = all.computeIfAbsent(OTHER, maker);
    other = rest;
    return rest;
  }

  private int size() {
    return all.size() - (all.containsKey(OTHER) ? 1 : 0);
  }

  /** Those that there are. */
  Collection<T> all() {
    return List.copyOf(all.values());
  }
}
