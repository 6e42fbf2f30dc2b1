package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Immediates of which nobody can say what was counted: a write under them was lost on its way, and
 * its origin cannot know how far it came. Nothing is counted under them, and no claim waits, until
 * the application discards. Belongs to the worker.
 */
final class Doubts {

  /** An origin that keeps to its own bound has fewer than it has pieces in flight, and that. */
  static final int MAX_PER_ORIGIN = 1 << 16;

  private record Doubt(Set<EngineId> origins, String text) {}

  private final IntMap<Doubt> byImm = new IntMap<>();
  private final Map<EngineId, Integer> perOrigin = new HashMap<>();
  private final Map<EngineId, String> beyond = new HashMap<>();

  boolean isEmpty() {
    return byImm.size() == 0 && beyond.isEmpty();
  }

  boolean holds(int imm) {
    return byImm.get(imm) != null;
  }

  boolean isOf(int imm, EngineId origin) {
    Doubt doubt = byImm.get(imm);
    return doubt != null && doubt.origins.contains(origin);
  }

  /** Why this claim cannot be met, or null if it may be. */
  @Nullable String reason(Claim claim) {
    Doubt doubt = byImm.get(claim.imm);
    if (doubt != null) {
      return doubt.text;
    }
    for (Map.Entry<EngineId, String> origin : beyond.entrySet()) {
      if (claim.concerns(origin.getKey())) {
        return origin.getValue();
      }
    }
    return null;
  }

  void add(int imm, EngineId origin, String text) {
    Doubt doubt = byImm.get(imm);
    if (doubt != null && doubt.origins.contains(origin)) {
      return;
    }
    if (perOrigin.getOrDefault(origin, 0) >= MAX_PER_ORIGIN) {
      beyond.put(
          origin,
          "engine "
              + origin.toShortString()
              + " left more than "
              + MAX_PER_ORIGIN
              + " immediates in doubt: close it");
      return;
    }
    if (doubt == null) {
      doubt = new Doubt(new LinkedHashSet<>(2), text);
      byImm.put(imm, doubt);
    }
    doubt.origins.add(origin);
    perOrigin.merge(origin, 1, Integer::sum);
  }

  /** The application has discarded: those who caused the doubt are to be told. */
  void discard(int imm, Consumer<EngineId> toBeTold) {
    Doubt doubt = byImm.get(imm);
    if (doubt == null) {
      return;
    }
    byImm.remove(imm);
    for (EngineId origin : doubt.origins) {
      perOrigin.computeIfPresent(origin, (id, count) -> count == 1 ? null : count - 1);
      toBeTold.accept(origin);
    }
  }

  /** The origin is gone for good: it may claim no more than it has. */
  void forget(EngineId origin) {
    beyond.remove(origin);
  }
}
