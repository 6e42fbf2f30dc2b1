package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What is shown in one registry of pipelines, whichever recorders show it, in the order in which it
 * was opened. One whose meters would be those of another one is shown when that has gone: it may be
 * opened before that is known here.
 */
final class Showcase {

  private static final OfRegistry<Showcase> ALL = new OfRegistry<>(Showcase::new);

  private final Collection<Shown> all = new ConcurrentLinkedQueue<>();
  private final Upkeep upkeep = new Upkeep(this::follow, this::failed);

  private Showcase() {}

  /** That of this registry. */
  static Showcase of(MeterRegistry registry) {
    return ALL.of(registry);
  }

  /** From any thread; its meters come a moment later. */
  void add(Shown shown) {
    all.add(shown);
    refresh();
  }

  /** There is more to be registered of one of them. */
  void refresh() {
    upkeep.due(this::hasGone);
  }

  /** It has gone, and its meters go a moment later. */
  void close(Shown shown) {
    shown.close();
    upkeep.due(this::hasGone);
  }

  /** Whether nobody may ask again for what is due. */
  private boolean hasGone() {
    return all.stream().anyMatch(Shown::isClosed);
  }

  private void follow() {
    Set<Object> places = new HashSet<>();
    for (Iterator<Shown> each = all.iterator(); each.hasNext(); ) {
      Shown shown = each.next();
      try {
        if (shown.isClosed()) {
          shown.remove();
          each.remove();
        } else if (places.add(shown.place)) {
          shown.register();
        }
      } catch (Throwable failure) {
        shown.failed(failure);
      }
    }
  }

  private void failed(Throwable failure) {
    all.forEach(each -> each.failed(failure));
  }
}
