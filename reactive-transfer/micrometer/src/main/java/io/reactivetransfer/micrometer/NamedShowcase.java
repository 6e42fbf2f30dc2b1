package io.reactivetransfer.micrometer;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.TransferEngine;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is shown under the names that an application gives. Of each engine as many names as the
 * limit allows are shown by themselves, the first ones that it has, and each goes when it is
 * closed; a name stays one of these. All others are one, {@link Named#OTHER}, which goes when the
 * engine has closed. From any thread.
 */
final class NamedShowcase<K, S extends Shown & Members<K>> {

  private static final class OfEngine<S> {
    private final Named<String> names;
    private @Nullable S other;

    OfEngine(int limit) {
      this.names = new Named<>(limit, name -> name);
    }

    synchronized S other(Supplier<S> maker) {
      S present = other;
      if (present == null) {
        present = maker.get();
        other = present;
      }
      return present;
    }
  }

  private final Showcase shown;
  private final int limit;
  private final BiFunction<TransferEngine, String, S> maker;
  private final Map<EngineId, OfEngine<S>> engines = new ConcurrentHashMap<>();
  private final Set<S> others = ConcurrentHashMap.newKeySet();
  private final Map<K, S> all = new ConcurrentHashMap<>();

  /**
   * Nothing is shown yet.
   *
   * @param maker of what is shown of an engine under a name
   */
  NamedShowcase(Showcase shown, int limit, BiFunction<TransferEngine, String, S> maker) {
    this.shown = shown;
    this.limit = limit;
    this.maker = maker;
  }

  void open(K key, TransferEngine engine, String name) {
    OfEngine<S> known = of(engine);
    if (known.names.of(name).equals(Named.OTHER)) {
      S other = known.other(() -> other(engine));
      other.came(key);
      all.put(key, other);
      if (other.isClosed()) { // with its engine, meanwhile
        all.remove(key);
      }
    } else {
      S fresh = maker.apply(engine, name);
      fresh.came(key);
      all.put(key, fresh);
      shown.add(fresh);
      fresh.endWith(engine, () -> close(key));
    }
  }

  private OfEngine<S> of(TransferEngine engine) {
    EngineId id = engine.id();
    OfEngine<S> fresh = new OfEngine<>(limit);
    OfEngine<S> known = engines.putIfAbsent(id, fresh);
    if (known != null) {
      return known;
    }
    Runnable end = () -> engines.remove(id);
    engine.onClose().subscribe(null, _ -> end.run(), end);
    return fresh;
  }

  private S other(TransferEngine engine) {
    S other = maker.apply(engine, Named.OTHER);
    others.add(other);
    shown.add(other);
    other.endWith(
        engine,
        () -> {
          shown.close(other);
          others.remove(other);
          all.values().removeIf(each -> each.equals(other));
        });
    return other;
  }

  /** It has gone; of those that are one, the others stay. */
  void close(K key) {
    S known = all.remove(key);
    if (known != null) {
      known.went(key);
      if (!others.contains(known)) {
        shown.close(known);
      }
    }
  }

  /** Null if it was closed. */
  @Nullable S get(K key) {
    return all.get(key);
  }
}
