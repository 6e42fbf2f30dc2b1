package io.reactivetransfer.libfabric;

import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Endpoints with one connection each, made by this side: one for each landing that is written to,
 * and at the landing one for each origin. For tcp of libfabric 1.17, where the layer that makes
 * connections by itself (rxm) ends the process when a connection breaks while a write with an
 * immediate comes in over it.
 *
 * <p>One endpoint listens for all landings, as long as the NIC is open, and a connection says which
 * one it is for. With a listener for each, revoking memory would close it, and that ends the
 * process: a connection whose request is still on its way keeps pointing to the listener it came
 * to, and the provider reads there when the request has come.
 */
final class ConnectedLinks implements Links {

  private static final int EVENTS_PER_POLL = 16;

  private final OpenFabric fabric;
  private final RandomKeys random;
  private final long events;
  private final int descriptor;
  private final MemorySegment event;
  private final MemorySegment waitFids;
  private final Map<Long, Initiator> byEndpoint = new HashMap<>();
  private final Map<FabricPeer, Map<ByteBuffer, Initiator>> byPeer = new HashMap<>();

  /** The connections that came for a landing, by its number. */
  private final Map<Long, Set<Long>> accepted = new HashMap<>();

  private final Map<Long, Accepted> byConnection = new HashMap<>();

  /** The landings whose closing has begun: nobody comes in there any more. */
  private final Set<Long> closing = new HashSet<>();

  /** What connections that this side makes are begun with: who it is, and for which landing. */
  private final MemorySegment greeting;

  private long listener;
  private byte[] listenerName = {};

  /**
   * A connection that another side made.
   *
   * @param landing number of what it came for
   * @param origin instance of the NIC that made it
   */
  private record Accepted(long landing, long origin) {}

  /**
   * For an opened NIC.
   *
   * @param random for the numbers of landings, which only those who are told may know
   * @param instance of this NIC
   */
  ConnectedLinks(OpenFabric fabric, RandomKeys random, Arena arena, long instance) {
    this.fabric = fabric;
    this.random = random;
    this.greeting = arena.allocate(ValueLayout.JAVA_LONG, 2);
    greeting.set(ValueLayout.JAVA_LONG, 0, instance);
    this.event = arena.allocate(LibFabric.EVENT_BYTES, Long.BYTES);
    this.waitFids = arena.allocate(ValueLayout.JAVA_LONG, 2);
    int waitObject = fabric.descriptor() < 0 ? Fi.FI_WAIT_NONE : Fi.FI_WAIT_FD;
    events =
        fabric.makeBase(
            "fi_eq_open", out -> fabric.lib.fi_eq_open(fabric.fabric(), waitObject, out));
    descriptor = fabric.descriptor() < 0 ? -1 : fabric.lib.fi_wait_fd(events);
    waitFids.setAtIndex(ValueLayout.JAVA_LONG, 0, fabric.queue());
    waitFids.setAtIndex(ValueLayout.JAVA_LONG, 1, events);
  }

  @Override
  public Landing listen() {
    if (listener == 0) {
      openListener();
    }
    long number = random.next();
    accepted.put(number, new HashSet<>());
    byte[] name =
        ByteBuffer.allocate(listenerName.length + Long.BYTES)
            .put(listenerName)
            .putLong(number)
            .array();
    return new Landing(number, name);
  }

  private void openListener() {
    long made =
        fabric.make(
            "fi_passive_ep",
            out -> fabric.lib.fi_passive_ep(fabric.fabric(), fabric.info.address(), out));
    try {
      fabric.require("fi_pep_bind", fabric.lib.fi_ep_bind(made, events, 0));
      fabric.require("fi_listen", fabric.lib.fi_listen(made));
      listenerName = fabric.nameOf(made);
      listener = made;
    } catch (RuntimeException e) {
      fabric.discard(made);
      throw e;
    }
  }

  @Override
  public void close(Landing landing) {
    closing.add(landing.id());
    BackendException refusal = null;
    for (Long connection : List.copyOf(accepted.getOrDefault(landing.id(), Set.of()))) {
      try {
        fabric.close(connection);
        forget(connection);
      } catch (BackendException e) {
        refusal = e;
      }
    }
    if (refusal != null) {
      throw refusal;
    }
    accepted.remove(landing.id());
    closing.remove(landing.id());
  }

  @Override
  public Initiator connect(FabricPeer peer, byte[] name) {
    Map<ByteBuffer, Initiator> ways = byPeer.computeIfAbsent(peer, key -> new HashMap<>());
    ByteBuffer key = ByteBuffer.wrap(name);
    Initiator known = ways.get(key);
    if (known == null) {
      known = connect(peer, fabric.openEndpoint(fabric.info.address(), events), name);
      ways.put(key, known);
    }
    return known;
  }

  private Initiator connect(FabricPeer peer, long endpoint, byte[] name) {
    try {
      int addressBytes = name.length - Long.BYTES;
      if (addressBytes <= 0) {
        throw new BackendException(
            0, "expected an address and a number of 8 bytes, got " + name.length + " bytes");
      }
      byte[] address = Arrays.copyOf(name, addressBytes);
      greeting.setAtIndex(ValueLayout.JAVA_LONG, 1, ByteBuffer.wrap(name).getLong(addressBytes));
      fabric.require(
          "fi_connect",
          fabric.lib.fi_connect(
              endpoint, fabric.address(address), greeting.address(), greeting.byteSize()));
      Initiator initiator = new Initiator(peer, endpoint, Fi.FI_ADDR_UNSPEC, false);
      byEndpoint.put(endpoint, initiator);
      return initiator;
    } catch (BackendException e) {
      fabric.discard(endpoint);
      throw e;
    }
  }

  @Override
  public void disconnect(FabricPeer peer, int code, String text) {
    closeWays(peer, code, text);
    List<Long> incoming = new ArrayList<>();
    byConnection.forEach((connection, accepted) -> {
      if (accepted.origin() == peer.instance()) {
        incoming.add(connection);
      }
    });
    incoming.forEach(this::closeAccepted);
  }

  /** Connections that it has made end by themselves, if it is gone. */
  @Override
  public void forget(FabricPeer peer) {
    closeWays(peer, 0, FORGOTTEN);
  }

  private void closeWays(FabricPeer peer, int code, String text) {
    Map<ByteBuffer, Initiator> ways = byPeer.remove(peer);
    if (ways != null) {
      for (Initiator initiator : ways.values()) {
        byEndpoint.remove(initiator.fid());
        initiator.closing();
        fabric.close(initiator.fid(), () -> initiator.closed(code, text));
      }
    }
  }

  @Override
  public boolean fencesLostPeers() {
    return true;
  }

  @Override
  public int poll() {
    int changes = 0;
    while (changes < EVENTS_PER_POLL) {
      long length = fabric.lib.fi_eq_read(events, event.address());
      if (length == -Fi.FI_EAVAIL) {
        failed();
      } else if (length <= 0) {
        break;
      } else {
        happened(length);
      }
      changes++;
    }
    return changes;
  }

  private void happened(long length) {
    long about = LibFabric.eventFid(event.address());
    switch (LibFabric.event(event.address())) {
      case Fi.FI_CONNREQ -> requested(length);
      case Fi.FI_CONNECTED -> {
        Initiator initiator = byEndpoint.get(about);
        if (initiator != null) {
          initiator.connected();
        }
      }
      case Fi.FI_SHUTDOWN -> ended(about, 0, "the connection was ended");
      default -> {
        // of no concern to connections
      }
    }
  }

  private void requested(long length) {
    long info = LibFabric.eventInfo(event.address());
    long origin = LibFabric.eventData(event.address(), length, 0);
    long landing = LibFabric.eventData(event.address(), length, 1);
    try {
      Set<Long> connections = accepted.get(landing);
      if (connections == null || closing.contains(landing)) {
        fabric.lib.fi_reject(listener, LibFabric.request(info));
      } else {
        accept(info, new Accepted(landing, origin), connections);
      }
    } catch (BackendException e) {
      // No endpoint can be opened for it: the origin is told so, and asks for the way again.
      fabric.lib.fi_reject(listener, LibFabric.request(info));
    } finally {
      fabric.lib.fi_freeinfo(info);
    }
  }

  private void accept(long info, Accepted request, Set<Long> connections) {
    long connection = fabric.openEndpoint(info, events);
    connections.add(connection);
    byConnection.put(connection, request);
    if (fabric.lib.fi_accept(connection) < 0) {
      closeAccepted(connection);
    }
  }

  private void failed() {
    event.fill((byte) 0);
    if (fabric.lib.fi_eq_readerr(events, event.address()) > 0) {
      int code = LibFabric.failedError(event.address());
      ended(
          LibFabric.failedFid(event.address()),
          code,
          "no connection: " + fabric.lib.fi_strerror(code));
    }
  }

  /** Its endpoint is closed at once: it will never connect again. */
  private void ended(long endpoint, int code, String text) {
    Initiator initiator = byEndpoint.get(endpoint);
    if (initiator != null) {
      Map<ByteBuffer, Initiator> ways = byPeer.get(initiator.peer());
      if (ways != null) {
        ways.values().remove(initiator);
      }
      byEndpoint.remove(endpoint);
      initiator.closing();
      fabric.close(endpoint, () -> initiator.broken(code, text));
    } else if (byConnection.containsKey(endpoint)) {
      closeAccepted(endpoint);
    }
  }

  /** It is known until it is closed: who revokes its landing meanwhile must find it. */
  private void closeAccepted(long connection) {
    fabric.close(connection, () -> forget(connection));
  }

  private void forget(long connection) {
    Accepted known = byConnection.remove(connection);
    Set<Long> connections = known == null ? null : accepted.get(known.landing());
    if (connections != null) {
      connections.remove(connection);
    }
  }

  @Override
  public int descriptor() {
    return descriptor;
  }

  @Override
  public boolean mayWait() {
    return fabric.lib.fi_trywait(fabric.fabric(), waitFids.address(), 2) == Fi.FI_SUCCESS;
  }

  @Override
  public void close() {
    closing.addAll(accepted.keySet());
    poll(); // who asks to connect is refused, or what the provider keeps of it would never be freed
    List<Long> open = new ArrayList<>(byEndpoint.keySet());
    open.addAll(byConnection.keySet());
    if (listener != 0) {
      open.add(listener);
    }
    open.forEach(fabric::discard);
    byEndpoint.clear();
    byPeer.clear();
    byConnection.clear();
    accepted.clear();
  }
}
