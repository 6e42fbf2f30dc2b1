package io.reactivetransfer.libfabric;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may connect to which landing, and who has. A peer that was admitted has a ticket, which it
 * shows with its request to connect and which is good for one connection; so a connection is that
 * of a peer whose session stands, or there is none.
 */
final class Inbound {

  /** One peer at one landing, to which it has one connection; those before it are being closed. */
  static final class Guest {
    private final FabricPeer peer;
    private final long landing;
    private final Set<Long> connections = new LinkedHashSet<>();
    private long ticket;

    Guest(FabricPeer peer, long landing) {
      this.peer = peer;
      this.landing = landing;
    }
  }

  private final RandomKeys random;
  private final Map<Long, Map<FabricPeer, Guest>> byLanding = new HashMap<>();
  private final Map<FabricPeer, Map<Long, Guest>> byPeer = new HashMap<>();
  private final Map<Long, Guest> byTicket = new HashMap<>();
  private final Map<Long, Guest> byConnection = new HashMap<>();

  /**
   * Of nobody so far.
   *
   * @param random for the tickets, which nobody may guess
   */
  Inbound(RandomKeys random) {
    this.random = random;
  }

  /** Admits a peer; its ticket, the same until it has been shown. */
  long ticket(FabricPeer peer, long landing) {
    Guest guest =
        byLanding
            .computeIfAbsent(landing, key -> new HashMap<>())
            .computeIfAbsent(peer, key -> new Guest(peer, landing));
    byPeer.computeIfAbsent(peer, key -> new HashMap<>()).put(landing, guest);
    while (guest.ticket == 0) {
      guest.ticket = random.next();
    }
    byTicket.put(guest.ticket, guest);
    return guest.ticket;
  }

  /** Who has this ticket, which is void from now on; null if nobody has it. */
  @Nullable Guest redeem(long ticket) {
    Guest guest = byTicket.remove(ticket);
    if (guest != null) {
      guest.ticket = 0;
    }
    return guest;
  }

  /** A guest has connected; returns what it had before, and has given up. */
  List<Long> connected(Guest guest, long connection) {
    List<Long> before = List.copyOf(guest.connections);
    guest.connections.add(connection);
    byConnection.put(connection, guest);
    return before;
  }

  /** Nobody connects to a landing any more; the connections that are open. */
  List<Long> endLanding(long landing) {
    return end(byLanding.getOrDefault(landing, Map.of()));
  }

  /** A peer does not connect any more, unless it is admitted again; the connections it has. */
  List<Long> endPeer(FabricPeer peer) {
    return end(byPeer.getOrDefault(peer, Map.of()));
  }

  /** Nobody connects any more; all connections. */
  List<Long> endAll() {
    byTicket.clear();
    return List.copyOf(byConnection.keySet());
  }

  private List<Long> end(Map<?, Guest> guests) {
    List<Long> open = new ArrayList<>();
    for (Guest guest : List.copyOf(guests.values())) {
      byTicket.remove(guest.ticket);
      guest.ticket = 0;
      open.addAll(guest.connections);
      forgetIfGone(guest);
    }
    return open;
  }

  boolean isConnection(long connection) {
    return byConnection.containsKey(connection);
  }

  /** A connection was closed. */
  void closed(long connection) {
    Guest guest = byConnection.remove(connection);
    if (guest != null) {
      guest.connections.remove(connection);
      forgetIfGone(guest);
    }
  }

  private void forgetIfGone(Guest guest) {
    if (guest.ticket == 0 && guest.connections.isEmpty()) {
      remove(byLanding, guest.landing, guest.peer);
      remove(byPeer, guest.peer, guest.landing);
    }
  }

  private static <A, B> void remove(Map<A, Map<B, Guest>> guests, A outer, B inner) {
    Map<B, Guest> some = guests.get(outer);
    if (some != null) {
      some.remove(inner);
      if (some.isEmpty()) {
        guests.remove(outer);
      }
    }
  }
}
