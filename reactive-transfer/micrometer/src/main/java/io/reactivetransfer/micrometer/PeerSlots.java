package io.reactivetransfer.micrometer;

import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.TrafficStats;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which peers of one engine have meters of their own: as many names as the limit allows, and {@link
 * #OTHER} for all others. One that lives takes the place of one that does not. For one thread at a
 * time.
 */
final class PeerSlots {

  /** The name of those that have no meters of their own. */
  static final String OTHER = "other";

  private final Meters tags;
  private final int limit;
  private final Function<? super Peer, String> nameOf;
  private final Map<String, PeerSlot> named = new LinkedHashMap<>();
  private final Map<Peer, PeerSlot> slotOf = new WeakHashMap<>();
  private @Nullable PeerSlot other;

  PeerSlots(Meters tags, int limit, Function<? super Peer, String> nameOf) {
    this.tags = tags;
    this.limit = limit;
    this.nameOf = nameOf;
  }

  /** These are the peers that the engine knows now. */
  void sync(Collection<Peer> known) {
    forget(new HashSet<>(known));
    for (Peer peer : known) {
      PeerSlot now = slotOf.get(peer);
      if (now == null ? hasDoneSomething(peer) : now == other && PeerSlot.isAlive(peer)) {
        put(peer, now);
      }
    }
  }

  private void forget(Set<Peer> known) {
    slotOf.keySet().retainAll(known);
    if (other != null) {
      other.keep(known::contains);
    }
    Iterator<PeerSlot> each = named.values().iterator();
    while (each.hasNext()) {
      PeerSlot slot = each.next();
      if (slot.keep(known::contains).isEmpty()) {
        slot.remove();
        each.remove();
      }
    }
  }

  /** One that somebody only holds says nothing. */
  private static boolean hasDoneSomething(Peer peer) {
    TrafficStats stats = peer.stats();
    return !(peer.present() instanceof PeerState.Unknown)
        || stats.transfersWaiting()
                + stats.messagesWaiting()
                + stats.writesPosted()
                + stats.arrivals()
            > 0;
  }

  private void put(Peer peer, @Nullable PeerSlot now) {
    PeerSlot next = slotFor(peer);
    if (next != now) {
      if (now != null) {
        now.keep(each -> !each.equals(peer));
      }
      next.add(peer, now != null);
      slotOf.put(peer, next);
    }
  }

  private PeerSlot slotFor(Peer peer) {
    String name = name(peer);
    PeerSlot known = named.get(name);
    if (known != null) {
      return known;
    }
    if (name.equals(OTHER) || !hasRoom(PeerSlot.isAlive(peer))) {
      return other();
    }
    PeerSlot fresh = new PeerSlot(tags.and("peer", name));
    named.put(name, fresh);
    return fresh;
  }

  private boolean hasRoom(boolean forOneThatLives) {
    if (named.size() < limit || !forOneThatLives) {
      return named.size() < limit;
    }
    for (Map.Entry<String, PeerSlot> each : named.entrySet()) {
      PeerSlot slot = each.getValue();
      if (slot.isGone()) {
        named.remove(each.getKey());
        for (Peer peer : slot.keep(_ -> true)) {
          other().add(peer, true);
          slotOf.put(peer, other());
        }
        slot.remove();
        return true;
      }
    }
    return false;
  }

  private PeerSlot other() {
    PeerSlot present = other;
    if (present == null) {
      present = new PeerSlot(tags.and("peer", OTHER));
      other = present;
    }
    return present;
  }

  private String name(Peer peer) {
    try {
      String name = nameOf.apply(peer);
      return name.isBlank() ? OTHER : name;
    } catch (Throwable failure) {
      tags.failed(failure);
      return OTHER;
    }
  }

  void remove() {
    named.values().forEach(PeerSlot::remove);
    if (other != null) {
      other.remove();
    }
  }
}
