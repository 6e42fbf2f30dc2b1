package io.reactivetransfer.engine.target;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.engine.base.IntMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Immediates of which nobody can say what was counted: a write under them was lost on its way, and
 * its origin cannot know how far it came. Nothing is counted under them, and no claim waits, until
 * the application discards. Belongs to the NIC thread.
 */
final class Doubts {

  /** An origin that keeps to its own bound has fewer than it has pieces in flight, and that. */
  static final int MAX_PER_ORIGIN = 1 << 16;

  /**
   * Over all origins, and what several left counts for each of them. With so many, what those left
   * that are gone for good goes, oldest first, and if that is not enough, whoever left most is to
   * go.
   */
  static final int MAX_IN_ALL = 1 << 17;

  /** As many immediates are remembered with what their origins said; of more it is left out. */
  static final int MAX_TEXTS = 4_096;

  /** What is in doubt under one immediate. There may be very many, so each is small. */
  private static final class Doubt {
    private final @Nullable String text;

    /** Who left it so, and has to be told when it is discarded. */
    private Set<EngineId> origins = Set.of();

    private Doubt(@Nullable String text) {
      this.text = text;
    }

    private void add(EngineId origin) {
      if (origins.isEmpty()) {
        origins = Set.of(origin);
      } else {
        origins = new LinkedHashSet<>(origins);
        origins.add(origin);
      }
    }

    /** Forgets this origin; says whether it was the last one. */
    private boolean isLast(EngineId origin) {
      if (origins.size() == 1 && origins.contains(origin)) {
        origins = Set.of();
        return true;
      }
      origins.remove(origin);
      return false;
    }
  }

  private final IntMap<Doubt> byImm;
  private final Map<EngineId, Set<Integer>> byOrigin = new HashMap<>();

  /** Immediates all of whose origins are gone, in the order in which they went. */
  private final Set<Integer> orphans = new LinkedHashSet<>();

  /** What all origins left that are not gone: an immediate counts for each of its origins. */
  private int pairs;

  /** How many immediates are remembered with a text. */
  private int texts;

  /** Whether an origin is lost: such a one makes room before any other. */
  private final Predicate<EngineId> isLost;

  Doubts(int seed, Predicate<EngineId> isLost) {
    byImm = new IntMap<>(seed);
    this.isLost = isLost;
  }

  boolean isEmpty() {
    return byImm.size() == 0;
  }

  boolean holds(int imm) {
    return byImm.get(imm) != null;
  }

  /** How many immediates are in doubt. */
  int size() {
    return byImm.size();
  }

  /** Of how many it remembers what was said. */
  int texts() {
    return texts;
  }

  /** How many origins it knows. */
  int origins() {
    return byOrigin.size();
  }

  boolean isOf(int imm, EngineId origin) {
    Doubt doubt = byImm.get(imm);
    return doubt != null && doubt.origins.contains(origin);
  }

  /** Why this claim cannot be met, or null if it may be. */
  @Nullable String reason(Claim claim) {
    Doubt doubt = byImm.get(claim.imm);
    if (doubt == null) {
      return null;
    }
    return doubt.text == null
        ? text("immediate " + claim.imm + " is in doubt", claim.imm)
        : doubt.text;
  }

  /** What a claim under an immediate in doubt ends with. */
  static String text(String cause, int imm) {
    return cause
        + "; it may have been counted or not: call discard() on the counter of immediate "
        + imm
        + " before it is used again";
  }

  /**
   * An origin leaves an immediate in doubt. Who goes beyond its own bound, or has left most when
   * that of all is reached, is forgotten as if it were gone for good: what it left stays in doubt
   * until it is discarded, or others need the room.
   *
   * @param tooMuch told who that is: it is to be given up
   */
  void add(int imm, EngineId origin, String text, Consumer<EngineId> tooMuch) {
    Doubt doubt = byImm.get(imm);
    if (doubt != null && doubt.origins.contains(origin)) {
      return;
    }
    if (byOrigin.getOrDefault(origin, Set.of()).size() >= MAX_PER_ORIGIN) {
      forget(origin);
      tooMuch.accept(origin);
    }
    if (pairs >= MAX_IN_ALL) {
      EngineId most = whoLeftMost(origin);
      forget(most);
      tooMuch.accept(most);
    }
    if (doubt == null) {
      if (byImm.size() >= MAX_IN_ALL) {
        forgetOrphan(); // there is one: fewer have an origin than there are pairs
      }
      doubt = new Doubt(texts < MAX_TEXTS ? text : null);
      texts += doubt.text == null ? 0 : 1;
      byImm.put(imm, doubt);
    }
    doubt.add(origin);
    orphans.remove(imm);
    byOrigin.computeIfAbsent(origin, id -> new HashSet<>()).add(imm);
    pairs++;
  }

  /** Whether this one can be added only if somebody who is not gone is to go. */
  boolean lacksRoom(int imm, EngineId origin) {
    return pairs >= MAX_IN_ALL && !isOf(imm, origin);
  }

  /** Nobody else pays for a flood that the bound of all is needed for; but lost ones go first. */
  private EngineId whoLeftMost(EngineId newcomer) {
    EngineId most = newcomer;
    int size = 0;
    boolean lost = false;
    for (Map.Entry<EngineId, Set<Integer>> origin : byOrigin.entrySet()) {
      boolean alsoLost = isLost.test(origin.getKey());
      if (alsoLost == lost ? origin.getValue().size() > size : alsoLost) {
        most = origin.getKey();
        size = origin.getValue().size();
        lost = alsoLost;
      }
    }
    return most;
  }

  /** Nobody is left who could write under it what was in doubt. */
  private void forgetOrphan() {
    remove(orphans.iterator().next());
  }

  private void remove(int imm) {
    Doubt doubt = byImm.get(imm);
    texts -= doubt == null || doubt.text == null ? 0 : 1;
    byImm.remove(imm);
    orphans.remove(imm);
  }

  /** The application has discarded: those who caused the doubt are to be told. */
  void discard(int imm, Consumer<EngineId> toBeTold) {
    Doubt doubt = byImm.get(imm);
    if (doubt == null) {
      return;
    }
    remove(imm);
    pairs -= doubt.origins.size();
    for (EngineId origin : doubt.origins) {
      byOrigin.computeIfPresent(
          origin,
          (id, own) -> {
            own.remove(imm);
            return own.isEmpty() ? null : own;
          });
      toBeTold.accept(origin);
    }
  }

  /** The origin is gone for good: what it left stays in doubt, and it is not to be told. */
  void forget(EngineId origin) {
    Set<Integer> own = byOrigin.remove(origin);
    if (own != null) {
      pairs -= own.size();
      for (int imm : own) {
        Doubt doubt = byImm.get(imm);
        if (doubt != null && doubt.isLast(origin)) {
          orphans.add(imm);
        }
      }
    }
  }
}
