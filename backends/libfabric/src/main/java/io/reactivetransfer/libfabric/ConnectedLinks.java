package io.reactivetransfer.libfabric;

import io.reactivetransfer.libfabric.Inbound.Guest;
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
import java.util.List;
import java.util.Map;

/**
 * Endpoints with one connection each, made by this side: one for each landing that may be written
 * to, and at the landing one for each origin. For tcp of libfabric 1.17, where the layer that makes
 * connections by itself (rxm) ends the process when a connection breaks while a write with an
 * immediate comes in over it.
 *
 * <p>One endpoint listens for all landings, as long as the NIC is open, and a connection shows a
 * ticket, see {@link Inbound}. With a listener for each, revoking memory would close it, and that
 * ends the process: a connection whose request is still on its way keeps pointing to the listener
 * it came to, and the provider reads there when the request has come.
 */
final class ConnectedLinks implements Links {

  private static final int EVENTS_PER_POLL = 16;

  /** With one the provider takes a socket, with the next one it reads what that asks for. */
  private static final int LAST_LOOKS = 4;

  /** Who asks on and on does not keep a NIC from being closed. */
  private static final long MOST_LAST_LOOKS_NANOS = 500_000_000;

  /** What is told of a landing beside the listener's address: its number, and a ticket. */
  private static final int NUMBERS_BYTES = 2 * Long.BYTES;

  private final OpenFabric fabric;
  private final long events;
  private final int descriptor;
  private final MemorySegment event;
  private final MemorySegment waitFids;
  private final Inbound inbound;
  private final Map<Long, Initiator> byEndpoint = new HashMap<>();

  /** The ways to each peer, by the numbers of its landings. */
  private final Map<FabricPeer, Map<Long, Initiator>> byPeer = new HashMap<>();

  /** What connections that this side makes are begun with. */
  private final MemorySegment ticket;

  private final long listener;
  private final byte[] listenerName;
  private long lastLanding;

  /**
   * For an opened NIC; listens from now on.
   *
   * @param random for tickets, which only those who are told may know
   */
  ConnectedLinks(OpenFabric fabric, RandomKeys random, Arena arena) {
    this.fabric = fabric;
    this.inbound = new Inbound(random);
    this.ticket = arena.allocate(ValueLayout.JAVA_LONG);
    this.event = arena.allocate(LibFabric.EVENT_BYTES, Long.BYTES);
    this.waitFids = arena.allocate(ValueLayout.JAVA_LONG, 2);
    int waitObject = fabric.descriptor() < 0 ? Fi.FI_WAIT_NONE : Fi.FI_WAIT_FD;
    events =
        fabric.makeBase(
            "fi_eq_open", out -> fabric.lib.fi_eq_open(fabric.fabric(), waitObject, out));
    descriptor = fabric.descriptor() < 0 ? -1 : fabric.lib.fi_wait_fd(events);
    waitFids.setAtIndex(ValueLayout.JAVA_LONG, 0, fabric.queue());
    waitFids.setAtIndex(ValueLayout.JAVA_LONG, 1, events);
    listener = openListener();
    listenerName = fabric.nameOf(listener);
  }

  @Override
  public Landing listen() {
    return new Landing(++lastLanding, listenerName);
  }

  private long openListener() {
    long made =
        fabric.make(
            "fi_passive_ep",
            out -> fabric.lib.fi_passive_ep(fabric.fabric(), fabric.info.address(), out));
    fabric.require("fi_pep_bind", fabric.lib.fi_ep_bind(made, events, 0));
    fabric.require("fi_listen", fabric.lib.fi_listen(made));
    return made;
  }

  @Override
  public byte[] admit(FabricPeer peer, Landing landing) {
    return ByteBuffer.allocate(landing.name().length + NUMBERS_BYTES)
        .put(landing.name())
        .putLong(landing.id())
        .putLong(inbound.ticket(peer, landing.id()))
        .array();
  }

  @Override
  public void close(Landing landing) {
    BackendException refusal = null;
    for (Long connection : inbound.endLanding(landing.id())) {
      try {
        fabric.close(connection);
        inbound.closed(connection);
      } catch (BackendException e) {
        refusal = e;
      }
    }
    if (refusal != null) {
      throw refusal;
    }
  }

  @Override
  public Initiator connect(FabricPeer peer, byte[] name) {
    int addressBytes = name.length - NUMBERS_BYTES;
    if (addressBytes <= 0) {
      throw new BackendException(
          0, "expected an address and two numbers of 8 bytes, got " + name.length + " bytes");
    }
    ByteBuffer numbers = ByteBuffer.wrap(name, addressBytes, NUMBERS_BYTES);
    Map<Long, Initiator> ways = byPeer.computeIfAbsent(peer, key -> new HashMap<>());
    long landing = numbers.getLong();
    Initiator known = ways.get(landing);
    if (known == null) {
      ticket.set(ValueLayout.JAVA_LONG, 0, numbers.getLong());
      known = connectTo(peer, landing, Arrays.copyOf(name, addressBytes));
      ways.put(landing, known);
    }
    return known;
  }

  /** With the ticket. */
  private Initiator connectTo(FabricPeer peer, long landing, byte[] address) {
    long endpoint = fabric.openEndpoint(fabric.info.address(), events);
    try {
      fabric.require(
          "fi_connect",
          fabric.lib.fi_connect(
              endpoint, fabric.address(address), ticket.address(), ticket.byteSize()));
    } catch (BackendException e) {
      fabric.discard(endpoint);
      throw e;
    }
    Initiator initiator = new Initiator(peer, landing, endpoint, Fi.FI_ADDR_UNSPEC, false);
    byEndpoint.put(endpoint, initiator);
    return initiator;
  }

  @Override
  public void disconnect(FabricPeer peer, int code, String text) {
    Map<Long, Initiator> ways = byPeer.remove(peer);
    if (ways != null) {
      for (Initiator initiator : ways.values()) {
        byEndpoint.remove(initiator.fid());
        initiator.closing();
        fabric.close(initiator.fid(), () -> initiator.closed(code, text));
      }
    }
    inbound.endPeer(peer).forEach(this::closeInbound);
  }

  @Override
  public void release(FabricPeer peer) {
    disconnect(peer, 0, "the peer was released");
  }

  @Override
  public void forget(Initiator way) {
    Map<Long, Initiator> ways = byPeer.get(way.peer());
    if (ways != null && ways.remove(way.landing(), way)) {
      byEndpoint.remove(way.fid());
      way.closing();
      fabric.close(way.fid(), () -> way.closed(0, "its memory was released"));
    }
  }

  @Override
  public boolean fencesLostPeers() {
    return true;
  }

  @Override
  public boolean connectsInWrites() {
    return false;
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
    Guest guest = inbound.redeem(LibFabric.eventData(event.address(), length, 0));
    try {
      if (guest == null || !accept(info, guest)) {
        fabric.lib.fi_reject(listener, LibFabric.request(info));
      }
    } finally {
      fabric.lib.fi_freeinfo(info);
    }
  }

  /** Unless no endpoint can be opened for it: then the origin is refused, and asks again. */
  private boolean accept(long info, Guest guest) {
    long connection;
    try {
      connection = fabric.openEndpoint(info, events);
    } catch (BackendException e) {
      return false;
    }
    inbound.connected(guest, connection).forEach(this::closeInbound);
    if (fabric.lib.fi_accept(connection) < 0) {
      closeInbound(connection);
    }
    return true;
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
    Initiator initiator = byEndpoint.remove(endpoint);
    if (initiator != null) {
      byPeer.getOrDefault(initiator.peer(), new HashMap<>()).values().remove(initiator);
      initiator.closing();
      fabric.close(endpoint, () -> initiator.broken(code, text));
    } else if (inbound.isConnection(endpoint)) {
      closeInbound(endpoint);
    }
  }

  /** It is known until it is closed: who revokes its landing meanwhile must find it. */
  private void closeInbound(long connection) {
    fabric.close(connection, () -> inbound.closed(connection));
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
    List<Long> open = new ArrayList<>(inbound.endAll());
    long begin = System.nanoTime();
    int quiet = 0;
    while (quiet < LAST_LOOKS && System.nanoTime() - begin < MOST_LAST_LOOKS_NANOS) {
      // who asks to connect is refused; what the provider keeps of it is not freed else
      quiet = poll() == 0 ? quiet + 1 : 0;
    }
    open.addAll(byEndpoint.keySet());
    open.add(listener);
    open.forEach(fabric::discard);
    byEndpoint.clear();
    byPeer.clear();
  }
}
