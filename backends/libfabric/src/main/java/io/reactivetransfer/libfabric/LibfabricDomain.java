package io.reactivetransfer.libfabric;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.libfabric.ffi.Fi;
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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One opened NIC of libfabric. */
final class LibfabricDomain implements Domain {

  /** Longer writes are cut, so that none holds a connection for long. */
  private static final long MAX_WRITE_BYTES = 16L << 20;

  /** What this backend itself says is short. */
  private static final int MIN_CONTENT_BYTES = 1_024;

  /**
   * So long connections and messages are not looked at while nothing is expected of them: over tcp
   * of 1.17 a look costs three system calls, and a poll for writes one.
   */
  private static final long BETWEEN_LOOKS_NANOS = 10_000;

  /** The NICs of this process. */
  private static final Set<Long> INSTANCES = ConcurrentHashMap.newKeySet();

  private final OpenFabric fabric;
  private final OpenFabric messages;
  private final Arena arena;
  private final Links links;
  private final long instance;
  private final Regions regions;
  private final Writes writes;
  private final Letters letters;
  private final Peers peers;
  private final Capabilities capabilities;
  private final MemorySegment messageFids;
  private final int[] descriptors;
  private long nextLookNanos = System.nanoTime();
  private boolean failed;
  private boolean closed;

  private LibfabricDomain(
      OpenFabric fabric, OpenFabric messages, Arena arena, Provider provider, OpenContext context) {
    this.fabric = fabric;
    this.messages = messages;
    this.arena = arena;
    FiInfo info = fabric.info;
    RandomKeys random = new RandomKeys();
    boolean inProcess = provider.place() == Provider.Place.PROCESS;
    int depth = (int) Math.min(context.nicDepth(), info.txSize());
    instance = random.next();
    links =
        info.isConnected()
            ? new ConnectedLinks(fabric, random, arena, instance)
            : new DatagramLinks(fabric, arena, inProcess);
    regions = new Regions(fabric, links, random, inProcess);
    writes = new Writes(fabric, arena, links, depth, inProcess ? info.injectBytes() : -1);
    letters =
        new Letters(
            messages,
            arena,
            context.engine(),
            instance,
            Math.max(MIN_CONTENT_BYTES, context.maxControlBytes()));
    peers =
        new Peers(
            letters,
            writes,
            new Asks(regions),
            context.connectTimeout().toNanos(),
            System::nanoTime);
    capabilities =
        new Capabilities(
            info.completesOnDelivery() ? CompletionLevel.DELIVERED : CompletionLevel.SOURCE_FREE,
            Math.clamp(info.maxMessageBytes(), 1, MAX_WRITE_BYTES),
            depth,
            context.maxControlBytes(),
            info.keepsWriteOrder(),
            false,
            links.fencesLostPeers());
    messageFids = arena.allocate(ValueLayout.JAVA_LONG);
    messageFids.set(ValueLayout.JAVA_LONG, 0, messages.queue());
    descriptors =
        fabric.descriptor() < 0 || messages.descriptor() < 0
            ? MUST_BE_POLLED
            : IntStream.of(fabric.descriptor(), messages.descriptor(), links.descriptor())
                .filter(descriptor -> descriptor >= 0)
                .toArray();
  }

  /** Opens a NIC. On any thread; what comes back is used by one thread at a time. */
  @SuppressWarnings("MustBeClosed") // the domain closes it
  static LibfabricDomain open(
      FabricLibrary library, ProviderChoice choice, FiInfo info, OpenContext context) {
    if (choice.provider().name().equals(Provider.SHM)) {
      StaleShm.sweep();
    }
    Arena arena = Arena.ofShared();
    Deque<OpenFabric> opened = new ArrayDeque<>();
    try {
      LibfabricDomain domain =
          library.guarded(() -> {
            opened.push(new OpenFabric(library.lib(), choice.forWrites(info), arena));
            opened.push(new OpenFabric(library.lib(), info, arena));
            return new LibfabricDomain(
                opened.getLast(), opened.getFirst(), arena, choice.provider(), context);
          });
      INSTANCES.add(domain.instance);
      return domain;
    } catch (RuntimeException e) {
      BackendException refusal = closeAll(opened);
      if (refusal == null) {
        arena.close();
      } else {
        e.addSuppressed(refusal); // what is open may still use what is in the arena
      }
      throw e;
    }
  }

  /** Each, whatever becomes of the others; what the last refusal said, or null. */
  private static @Nullable BackendException closeAll(Collection<OpenFabric> opened) {
    BackendException refusal = null;
    for (OpenFabric each : opened) {
      try {
        each.close();
      } catch (BackendException e) {
        refusal = e;
      }
    }
    return refusal;
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public byte[] address() {
    return new FabricAddress(messages.info.provider(), instance, letters.name()).encode();
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
    if (!decoded.provider().equals(messages.info.provider())) {
      throw new BackendException(
          0,
          "expected a NIC of provider "
              + messages.info.provider()
              + ", got one of "
              + decoded.provider()
              + "; name the same one on both sides");
    }
    if (decoded.provider().equals(Provider.SHM) && INSTANCES.contains(decoded.instance())) {
      throw new BackendException(
          0,
          "expected a NIC of another process, got one of this: provider shm writes to where an"
              + " endpoint of the same process was, after it was closed; use tcp within a process");
    }
    return peers.resolve(engine, decoded.instance(), decoded.name());
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    return new Route((HeldPeer) peer, Token.decode(key));
  }

  @Override
  public boolean post(WriteOp op) {
    if (closed) {
      return false;
    }
    Route route = (Route) op.target();
    return switch (route.state()) {
      case OPEN -> write(op, route);
      case DENIED -> fail(op, route, 0, route.denial());
      case NEW -> {
        peers.ask(route);
        yield false;
      }
      case ASKED -> false;
    };
  }

  private boolean write(WriteOp op, Route route) {
    if (!route.holds(op.targetOffset(), op.length())) {
      return fail(op, route, 0, route.outside(op.targetOffset(), op.length()));
    }
    return switch (writes.post(op, route)) {
      case TAKEN -> true;
      case REFUSED -> {
        peers.refused(route);
        yield false;
      }
      case NO_WAY -> {
        peers.stuck(route);
        peers.ask(route);
        yield false;
      }
      case FAILED -> {
        BackendException cause = writes.lastError();
        yield fail(op, route, cause.code(), String.valueOf(cause.getMessage()));
      }
    };
  }

  /** It was never given to the provider. */
  private boolean fail(WriteOp op, Route route, int code, String reason) {
    peers.failSoon(route.peer(), Failure.beforePost(op.token(), code, reason));
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
    return !closed && peers.send(((HeldPeer) peer).peer(), bytes);
  }

  @Override
  public void disconnect(RemotePeer peer, String reason) {
    if (!closed) {
      peers.disconnect(((HeldPeer) peer).peer(), reason);
    }
  }

  @Override
  public int poll(CompletionSink sink) {
    if (closed) {
      return 0;
    }
    peers.report(sink);
    long now = System.nanoTime();
    regions.closeFreed(now);
    int work = writes.poll(sink, peers);
    Failure broken = writes.broken() == null ? letters.broken() : writes.broken();
    if (broken != null && !failed) {
      failed = true;
      sink.nicFailed(broken.code(), broken.text());
      peers.all().forEach(peer -> writes.disconnect(peer, broken.code(), broken.text()));
    }
    if (now - nextLookNanos >= 0 || peers.areNeedy()) {
      work += look(now);
    }
    work += peers.tend();
    work += writes.reportAbandoned(sink, peers);
    return work;
  }

  /** At connections and messages, and again with the next poll if there was something. */
  private int look(long now) {
    int changes = links.poll();
    if (changes > 0) {
      writes.endpointsChanged();
    }
    int work = changes + letters.poll(peers);
    nextLookNanos = work > 0 ? now : now + BETWEEN_LOOKS_NANOS;
    return work;
  }

  @Override
  public int[] waitDescriptors() {
    return closed ? MUST_BE_POLLED : descriptors;
  }

  @Override
  public boolean prepareWait() {
    return !closed
        && links.mayWait()
        && messages.lib.fi_trywait(messages.fabric(), messageFids.address(), 1) == Fi.FI_SUCCESS;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      INSTANCES.remove(instance);
      peers.farewell("its engine was closed");
      regions.close();
      links.close();
      letters.close();
      BackendException refusal = closeAll(List.of(messages, fabric));
      if (refusal != null) {
        throw refusal; // the arena stays: what is open may use what is in it
      }
      arena.close();
    }
  }
}
