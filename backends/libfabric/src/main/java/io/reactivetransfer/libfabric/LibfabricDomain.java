package io.reactivetransfer.libfabric;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WriteOp;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;

/** One opened NIC of libfabric. */
final class LibfabricDomain implements Domain {

  /** Longer writes are cut, so that none holds a connection for long. */
  private static final long MAX_WRITE_BYTES = 16L << 20;

  /** What this backend itself says is short. */
  private static final int MIN_CONTENT_BYTES = 1_024;

  private final OpenFabric fabric;
  private final Arena arena;
  private final long instance;
  private final Regions regions;
  private final Writes writes;
  private final Letters letters;
  private final Peers peers;
  private final Capabilities capabilities;
  private boolean refused;
  private boolean closed;

  private LibfabricDomain(OpenFabric fabric, Arena arena, Provider provider, OpenContext context) {
    this.fabric = fabric;
    this.arena = arena;
    FiInfo info = fabric.info;
    RandomKeys random = new RandomKeys();
    boolean cheapEndpoints = provider.place() == Provider.Place.PROCESS;
    int depth = (int) Math.min(context.nicDepth(), info.txSize());
    instance = random.next();
    regions = new Regions(fabric, random, cheapEndpoints);
    writes = new Writes(fabric, arena, depth, cheapEndpoints);
    letters =
        new Letters(
            fabric,
            arena,
            context.engine(),
            instance,
            Math.max(MIN_CONTENT_BYTES, context.maxControlBytes()));
    peers =
        new Peers(
            letters,
            writes,
            new Asks(fabric, regions),
            context.connectTimeout().toNanos(),
            System::nanoTime);
    capabilities =
        new Capabilities(
            info.completesOnDelivery() ? CompletionLevel.DELIVERED : CompletionLevel.SOURCE_FREE,
            Math.clamp(info.maxMessageBytes(), 1, MAX_WRITE_BYTES),
            depth,
            context.maxControlBytes(),
            info.keepsWriteOrder(),
            false);
  }

  /** Opens a NIC. On any thread; what comes back is used by one thread at a time. */
  @SuppressWarnings("MustBeClosed") // the domain closes it
  static LibfabricDomain open(
      FabricLibrary library, ProviderChoice choice, FiInfo info, OpenContext context) {
    Arena arena = Arena.ofShared();
    try {
      return library.guarded(() -> {
        OpenFabric fabric = OpenFabric.open(library.lib(), info, arena);
        try {
          return new LibfabricDomain(fabric, arena, choice.provider(), context);
        } catch (RuntimeException e) {
          fabric.close();
          throw e;
        }
      });
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public byte[] address() {
    return new FabricAddress(fabric.info.provider(), instance, letters.name()).encode();
  }

  private void requireOpen() {
    if (closed) {
      throw new BackendException(0, "the NIC is closed");
    }
  }

  @Override
  public LocalMemory register(Memory memory, Access access) {
    requireOpen();
    return regions.register(memory, access);
  }

  @Override
  public LocalMemory revoke(LocalMemory memory) {
    requireOpen();
    return regions.revoke((FabricMemory) memory);
  }

  @Override
  public void deregister(LocalMemory memory) {
    if (!closed) {
      regions.remove((FabricMemory) memory);
    }
  }

  @Override
  public RemotePeer resolve(EngineId engine, byte[] address) {
    FabricAddress decoded = FabricAddress.decode(address);
    if (!decoded.provider().equals(fabric.info.provider())) {
      throw new BackendException(
          0,
          "expected a NIC of provider "
              + fabric.info.provider()
              + ", got one of "
              + decoded.provider()
              + "; name the same one on both sides");
    }
    return peers.resolve(engine, decoded.instance(), decoded.name());
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    return new Route((FabricPeer) peer, Token.decode(key));
  }

  @Override
  public boolean post(WriteOp op) {
    if (closed) {
      return false;
    }
    Route route = (Route) op.target();
    boolean taken =
        switch (route.state()) {
          case OPEN -> write(op, route);
          case DENIED -> fail(op, route, route.denial());
          case NEW -> {
            peers.ask(route);
            yield false;
          }
          case ASKED -> false;
        };
    refused |= !taken;
    return taken;
  }

  private boolean write(WriteOp op, Route route) {
    if (!route.holds(op.targetOffset(), op.length())) {
      return fail(op, route, route.outside(op.targetOffset(), op.length()));
    }
    if (writes.isFull()) {
      return false;
    }
    return switch (writes.post(op, route)) {
      case TAKEN -> true;
      case REFUSED -> {
        peers.refused(route);
        yield false;
      }
      case FAILED -> {
        peers.failSoon(route.peer(), op.token(), writes.lastError());
        yield true;
      }
    };
  }

  private boolean fail(WriteOp op, Route route, String reason) {
    peers.failSoon(route.peer(), new Failure(op.token(), 0, reason));
    return true;
  }

  @Override
  public boolean send(RemotePeer peer, ByteBuffer bytes) {
    if (bytes.remaining() > capabilities.maxControlBytes()) {
      throw new IllegalArgumentException(
          "expected a control message of at most "
              + capabilities.maxControlBytes()
              + " bytes, got "
              + bytes.remaining());
    }
    boolean taken = !closed && peers.send((FabricPeer) peer, bytes);
    refused |= !taken;
    return taken;
  }

  @Override
  public void disconnect(RemotePeer peer, String reason) {
    if (!closed) {
      peers.disconnect((FabricPeer) peer, reason);
    }
  }

  @Override
  public int poll(CompletionSink sink) {
    if (closed) {
      return 0;
    }
    refused = false;
    peers.report(sink);
    int work = writes.poll(sink, peers);
    work += letters.poll(peers);
    work += peers.tend();
    work += writes.reportClosed(sink);
    return work;
  }

  @Override
  public int[] waitDescriptors() {
    // What was refused is tried again, and who does not answer is found out, by polling.
    return closed || refused || writes.hasHalves() || peers.areNeedy()
        ? MUST_BE_POLLED
        : fabric.descriptors();
  }

  @Override
  public boolean prepareWait() {
    return !closed && fabric.mayWait();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      peers.farewell("its engine was closed");
      writes.close(peers.all());
      regions.close();
      letters.close();
      fabric.close();
      arena.close();
    }
  }
}
