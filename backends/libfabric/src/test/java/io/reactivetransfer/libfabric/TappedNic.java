package io.reactivetransfer.libfabric;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.libfabric.ffi.TapLibFabric;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;

/** What of a NIC concerns messages, without a network and with a clock of its own. */
final class TappedNic implements AutoCloseable {

  static final long CONNECT_NANOS = 1_000_000_000;
  static final long INSTANCE = 42;

  private static final int CONTENT_BYTES = 1_024;
  private static final RandomKeys RANDOM = new RandomKeys();

  final TapLibFabric tap = new TapLibFabric();
  final Recorder sink = new Recorder();
  final Peers peers;
  private final Arena arena = Arena.ofShared();
  private final OpenFabric messages = new OpenFabric(tap.lib(), TapLibFabric.info(arena), arena);
  private final OpenFabric fabric = new OpenFabric(tap.lib(), TapLibFabric.info(arena), arena);
  private final Links links = new DatagramLinks(fabric, arena, true);
  final Regions regions = new Regions(fabric, links, RANDOM, true);
  final Letters letters;
  final Writes writes;
  private long now;

  TappedNic() {
    writes = new Writes(fabric, arena, links, 64, -1);
    letters = new Letters(messages, arena, new EngineId(-1, -1), INSTANCE, CONTENT_BYTES);
    peers = new Peers(letters, writes, new Asks(regions), CONNECT_NANOS, () -> now);
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

  /** A frame as another NIC would send it. */
  static byte[] frame(
      Frame.Type type, EngineId sender, int epoch, long number, byte[] name, byte[] content) {
    ByteBuffer out = ByteBuffer.allocate(Frame.headBytes(name) + content.length);
    out.put((byte) 1)
        .put(type.code())
        .putLong(INSTANCE)
        .putLong(sender.high())
        .putLong(sender.low())
        .putLong(sender.low())
        .putInt(epoch)
        .putLong(number)
        .put((byte) name.length)
        .put(name)
        .put(content);
    return out.array();
  }

  /** A message comes, and the NIC is polled. */
  void hear(byte[] message) {
    tap.deliver(message);
    poll();
  }

  /** As the domain does, until nothing more comes. */
  void poll() {
    peers.report(sink);
    writes.poll(sink, peers);
    while (letters.poll(peers) > 0) {
      peers.tend();
    }
    peers.tend();
    writes.reportAbandoned(sink, peers);
  }

  /** Time goes by. */
  void pass(long nanos) {
    now += nanos;
  }

  /** The same, and it is polled all the time. */
  void pollFor(long nanos) {
    long end = now + nanos;
    while (now < end) {
      pass(nanos / 20);
      poll();
    }
  }

  @Override
  public void close() {
    peers.farewell("the test ends");
    regions.close();
    links.close();
    letters.close();
    tap.closes(_ -> 0);
    fabric.close();
    messages.close();
    arena.close();
  }
}
