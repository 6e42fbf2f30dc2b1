package io.reactivetransfer.engine.memory;

import io.reactivetransfer.engine.base.Nics;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The regions of one peer that the NICs have resolved, and are to release: when the peer has
 * revoked them, when there are too many, or when the peer is forgotten. What was released to make
 * room is resolved again when it is written to. Belongs to the NIC thread.
 */
public final class ResolvedRegions {

  /** Of more, those go that were resolved first and that nothing is on its way to. */
  static final int MANY = 4_096;

  private final Nics nics;

  /** By their numbers, those that were resolved first at first. */
  private final Map<Long, Set<ResolvedRegion>> all = new LinkedHashMap<>();

  private int size;
  private int most = MANY;

  public ResolvedRegions(Nics nics) {
    this.nics = nics;
  }

  /** One was resolved; returns whether there are too many now. */
  public boolean add(ResolvedRegion region) {
    size += all.computeIfAbsent(region.number(), number -> new HashSet<>(2)).add(region) ? 1 : 0;
    return size > most;
  }

  /** How many there are. */
  public int size() {
    return size;
  }

  /** The peer has revoked it, and nothing is on its way there. */
  public void revoked(long number) {
    release(all.remove(number));
  }

  private void release(@Nullable Set<ResolvedRegion> regions) {
    if (regions != null) {
      size -= regions.size();
      if (!nics.isClosed()) { // else they have forgotten all
        regions.forEach(region -> region.release(nics.domains()));
      }
    }
  }

  /** Releases the first of those that are not in use, until there is room for as many again. */
  public void makeRoom(Set<ResolvedRegion> inUse) {
    for (Iterator<Set<ResolvedRegion>> each = all.values().iterator();
        each.hasNext() && size > MANY / 2; ) {
      Set<ResolvedRegion> same = each.next();
      List<ResolvedRegion> idle = new ArrayList<>(same);
      idle.removeAll(inUse);
      same.removeAll(Set.copyOf(idle));
      release(Set.copyOf(idle));
      if (same.isEmpty()) {
        each.remove();
      }
    }
    most = Math.max(MANY, 2 * size); // when all are in use, it is not looked for each again
  }

  /** The peer is forgotten. */
  public void clear() {
    List.copyOf(all.values()).forEach(this::release);
    all.clear();
  }
}
