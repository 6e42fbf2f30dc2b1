package io.reactivetransfer.libfabric;

import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Endpoints that write to any address, and make connections by themselves if they need them. Where
 * endpoints are cheap, each peer is written to through one of its own: closing that ends what is
 * out to the peer, without its help and without harm to others. Where they are dear, all share one,
 * and losing a peer ends what is out to others, too.
 */
final class DatagramLinks implements Links {

  private static final String RELEASED = "the peer was released";
  private static final String FORGOTTEN = "its memory was released";

  private final OpenFabric fabric;
  private final boolean endpointForEach;
  private final AddressVector addresses;
  private final MemorySegment waitFids;
  private final Map<FabricPeer, Ways> byPeer = new HashMap<>();
  private long sharedEndpoint;

  /** What leads to one peer. */
  private static final class Ways {
    final Map<ByteBuffer, Initiator> byName = new HashMap<>();
    long endpoint;
  }

  DatagramLinks(OpenFabric fabric, Arena arena, boolean endpointForEach) {
    this.fabric = fabric;
    this.endpointForEach = endpointForEach;
    this.addresses = new AddressVector(fabric, arena);
    this.waitFids = arena.allocate(ValueLayout.JAVA_LONG);
    waitFids.set(ValueLayout.JAVA_LONG, 0, fabric.queue());
  }

  private long open() {
    FiInfo info = fabric.info;
    return fabric.openEndpoint(info.address(), addresses.fid());
  }

  @Override
  public Landing listen() {
    long endpoint = open();
    try {
      return new Landing(endpoint, fabric.nameOf(endpoint));
    } catch (RuntimeException e) {
      fabric.discard(endpoint);
      throw e;
    }
  }

  /** The same for each: endpoints do not tell by whom they are written to. */
  @Override
  public byte[] admit(FabricPeer peer, Landing landing) {
    return landing.name();
  }

  @Override
  public void close(Landing landing) {
    fabric.close(landing.id());
  }

  @Override
  public Initiator connect(FabricPeer peer, byte[] name) {
    Ways ways = byPeer.computeIfAbsent(peer, key -> new Ways());
    if (ways.endpoint == 0) {
      ways.endpoint = endpointForEach ? open() : sharedEndpoint();
    }
    ByteBuffer key = ByteBuffer.wrap(name);
    Initiator known = ways.byName.get(key);
    if (known == null) {
      known = new Initiator(peer, key, ways.endpoint, addresses.insert(name), true);
      ways.byName.put(key, known);
    }
    return known;
  }

  private long sharedEndpoint() {
    if (sharedEndpoint == 0) {
      sharedEndpoint = open();
    }
    return sharedEndpoint;
  }

  @Override
  public void disconnect(FabricPeer peer, int code, String text) {
    Ways ways = byPeer.remove(peer);
    if (ways == null || ways.endpoint == 0) {
      return;
    }
    List<Ways> ended = new ArrayList<>(List.of(ways));
    boolean isShared = ways.endpoint == sharedEndpoint;
    if (isShared) {
      sharedEndpoint = 0;
      ended.addAll(byPeer.values());
      byPeer.clear();
    }
    ended.forEach(each -> each.byName.values().forEach(Initiator::closing));
    fabric.close(
        ways.endpoint,
        () ->
            ended.forEach(
                each -> end(each, code, each == ways ? text : "the endpoint was closed: " + text)));
  }

  @Override
  public void release(FabricPeer peer) {
    Ways ways = byPeer.get(peer);
    if (ways != null && ways.endpoint == sharedEndpoint) {
      byPeer.remove(peer);
      end(ways, 0, RELEASED);
    } else {
      disconnect(peer, 0, RELEASED);
    }
  }

  /** A peer's memory has one landing for all where endpoints are dear; that stays with the peer. */
  @Override
  public void forget(Initiator way) {
    Ways ways = byPeer.get(way.peer());
    if (endpointForEach && ways != null && ways.byName.remove(way.landing(), way)) {
      way.closing();
      way.closed(0, FORGOTTEN);
      addresses.remove(way.destination());
    }
  }

  private void end(Ways ways, int code, String text) {
    for (Initiator initiator : ways.byName.values()) {
      initiator.closed(code, text);
      addresses.remove(initiator.destination());
    }
  }

  @Override
  public boolean fencesLostPeers() {
    return false;
  }

  @Override
  public boolean connectsInWrites() {
    return endpointForEach;
  }

  @Override
  public int poll() {
    return 0; // connections, if there are any, are the provider's affair
  }

  @Override
  public int descriptor() {
    return -1;
  }

  @Override
  public boolean mayWait() {
    return fabric.lib.fi_trywait(fabric.fabric(), waitFids.address(), 1) == Fi.FI_SUCCESS;
  }

  @Override
  public void close() {
    byPeer.values().stream()
        .mapToLong(ways -> ways.endpoint)
        .filter(endpoint -> endpoint != 0 && endpoint != sharedEndpoint)
        .forEach(fabric::discard);
    if (sharedEndpoint != 0) {
      fabric.discard(sharedEndpoint);
    }
    byPeer.clear();
  }
}
