package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.TransferEngine;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a recorder shows under the names that an application gives. Of each engine as many names as
 * the limit allows are shown by themselves, the first ones that it has, and each goes when it is
 * closed; a name stays one of these. All others are one, {@link Named#OTHER}, which goes when the
 * engine has closed. Names, and those others, are the same for all recorders of a registry, and
 * what several of them are told of is shown by the first. From any thread.
 */
final class NamedShowcase<K, S extends Shown & Members<K>> {

  /** What recorders of one kind have in common, by the tags of their engines. */
  static final class Shared<K, S> {
    private final Map<Tags, OfEngine<K, S>> engines = new ConcurrentHashMap<>();
  }

  private static final class OfEngine<K, S> {
    private final Named<String> names;
    private final Set<K> members = ConcurrentHashMap.newKeySet();
    private volatile @Nullable S other;

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

  private record Member<K, S>(S shown, OfEngine<K, S> of) {

    boolean isOneOfOthers() {
      return shown.equals(of.other);
    }
  }

  private final Showcase shown;
  private final Shared<K, S> shared;
  private final int limit;
  private final Function<TransferEngine, Meters> meters;
  private final BiFunction<Meters, String, S> maker;
  private final Set<S> others = ConcurrentHashMap.newKeySet();
  private final Map<K, Member<K, S>> all = new ConcurrentHashMap<>();

  /**
   * Nothing is shown yet.
   *
   * @param limit of names, for engines that no other recorder has shown before
   * @param meters none yet, of an engine
   * @param maker of what is shown under a name
   */
  NamedShowcase(
      Showcase shown,
      Shared<K, S> shared,
      int limit,
      Function<TransferEngine, Meters> meters,
      BiFunction<Meters, String, S> maker) {
    this.shown = shown;
    this.shared = shared;
    this.limit = limit;
    this.meters = meters;
    this.maker = maker;
  }

  void open(K key, TransferEngine engine, String name) {
    Meters ofEngine = meters.apply(engine);
    OfEngine<K, S> known = of(engine, ofEngine.tags());
    if (!known.members.add(key)) {
      return; // another recorder shows it
    }
    if (known.names.of(name).equals(Named.OTHER)) {
      S other = known.other(() -> other(engine, ofEngine));
      forgetWith(engine, other);
      other.came(key);
      all.put(key, new Member<>(other, known));
      if (other.isClosed()) { // with its engine, meanwhile
        all.remove(key);
      }
    } else {
      S fresh = maker.apply(ofEngine, name);
      fresh.came(key);
      all.put(key, new Member<>(fresh, known));
      shown.add(fresh);
      fresh.endWith(engine, () -> close(key));
    }
  }

  private OfEngine<K, S> of(TransferEngine engine, Tags tags) {
    OfEngine<K, S> fresh = new OfEngine<>(limit);
    OfEngine<K, S> known = shared.engines.putIfAbsent(tags, fresh);
    if (known != null) {
      return known;
    }
    atEnd(engine, () -> shared.engines.remove(tags));
    return fresh;
  }

  private static void atEnd(TransferEngine engine, Runnable end) {
    engine.onClose().subscribe(null, _ -> end.run(), end);
  }

  private S other(TransferEngine engine, Meters ofEngine) {
    S other = maker.apply(ofEngine, Named.OTHER);
    shown.add(other);
    other.endWith(engine, () -> shown.close(other));
    return other;
  }

  private void forgetWith(TransferEngine engine, S other) {
    if (others.add(other)) {
      atEnd(
          engine,
          () -> {
            others.remove(other);
            all.values().removeIf(each -> each.shown.equals(other));
          });
    }
  }

  /** It has gone; of those that are one, the others stay. */
  void close(K key) {
    Member<K, S> known = all.remove(key);
    if (known == null) {
      return;
    }
    known.of.members.remove(key);
    if (known.isOneOfOthers()) {
      known.shown.went(key);
    } else {
      shown.close(known.shown); // what it says stays until its meters have gone
    }
  }

  /** Null if it was closed, or if another recorder shows it. */
  @Nullable S get(K key) {
    Member<K, S> known = all.get(key);
    return known == null ? null : known.shown;
  }
}
