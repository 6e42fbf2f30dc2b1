package io.reactivetransfer.libfabric;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ffm.Accelerators;
import io.reactivetransfer.libfabric.ffi.TapLibFabric;
import io.reactivetransfer.tck.driver.Recorder;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;

/** What of a NIC concerns its peers, without a network and with a clock of its own. */
final class TappedNic implements AutoCloseable {

  static final long CONNECT_NANOS = 1_000_000_000;

  private static final RandomKeys RANDOM = new RandomKeys();

  final TapLibFabric tap = new TapLibFabric();
  final Recorder sink = new Recorder();
  final Peers peers;
  private final Arena arena = Arena.ofShared();
  final OpenFabric fabric;
  private final Links links;
  final Regions regions;
  final Writes writes;
  private long now;

  TappedNic() {
    this("tap");
  }

  /** Over a provider with that name. */
  TappedNic(String provider) {
    this(provider, true);
  }

  /**
   * The same.
   *
   * @param endpointForEach whether each peer is written to through an endpoint of its own
   */
  TappedNic(String provider, boolean endpointForEach) {
    fabric = new OpenFabric(tap.lib(), TapLibFabric.info(arena, provider), arena);
    links = new DatagramLinks(fabric, arena, endpointForEach);
    regions = new Regions(fabric, Accelerators.none(), links, RANDOM, true);
    writes = new Writes(fabric, Accelerators.none(), arena, links, 64, -1);
    peers = new Peers(writes, new Asks(regions), CONNECT_NANOS, () -> now);
  }

  /** Memory to write from. */
  FabricMemory source() {
    return regions.register(new HostMemory(arena.allocate(100)), Access.LOCAL);
  }

  /** Registers memory, and gives what it is named by. */
  Token register() {
    HostMemory memory = new HostMemory(arena.allocate(100));
    return regions.register(memory, Access.REMOTE_WRITE).token();
  }

  /** As the NIC of a peer says where 100 bytes may be written. */
  static ByteBuffer grant(long ask) {
    return ByteBuffer.allocate(34)
        .put(Asks.GRANT)
        .putLong(ask)
        .putLong(0)
        .putLong(6)
        .putLong(100)
        .put((byte) 5)
        .flip();
  }

  /** As the NIC of a peer says that it may not. */
  static ByteBuffer deny(long ask) {
    return ByteBuffer.allocate(11)
        .put(Asks.DENY)
        .putLong(ask)
        .put((byte) 'n')
        .put((byte) 'o')
        .flip();
  }

  /** The number of the ask that this NIC has said last. */
  long lastAsk() {
    long number = 0;
    for (byte[] said : sink.said()) {
      number = said[0] == Asks.ASK ? ByteBuffer.wrap(said).getLong(1) : number;
    }
    return number;
  }

  /** As the domain does. */
  void poll() {
    writes.poll(sink, peers);
    peers.settle(sink);
    writes.reportAbandoned(sink, peers);
    peers.speak(sink);
  }

  /** Time goes by in which the NIC is polled all the time. */
  void pollFor(long nanos) {
    long end = now + nanos;
    while (now < end) {
      now += nanos / 20;
      poll();
    }
  }

  @Override
  public void close() {
    regions.close();
    links.close();
    tap.closes(_ -> 0);
    fabric.close();
    arena.close();
  }
}
