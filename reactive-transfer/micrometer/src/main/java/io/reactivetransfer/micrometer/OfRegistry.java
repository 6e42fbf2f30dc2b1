package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all recorders of one registry have in common: one for each registry, for as long as somebody
 * holds it. From any thread.
 */
final class OfRegistry<T> {

  private final Map<MeterRegistry, WeakReference<T>> all = new WeakHashMap<>();
  private final Supplier<T> maker;

  OfRegistry(Supplier<T> maker) {
    this.maker = maker;
  }

  synchronized T of(MeterRegistry registry) {
    WeakReference<T> known = all.get(registry);
    @Nullable T present = known == null ? null : known.get();
    if (present != null) {
      return present;
    }
    T fresh = maker.get();
    all.put(registry, new WeakReference<>(fresh));
    return fresh;
  }
}
