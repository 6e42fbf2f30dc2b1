package io.reactivetransfer.libfabric;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Device;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.ffm.Accelerators;
import io.reactivetransfer.ffm.LookClock;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One opened NIC of libfabric. */
final class LibfabricDomain implements Domain {

  /**
   * Longer writes are cut, so that none holds a connection for long. Over tcp of libfabric 1.17
   * writes of 16 MiB go at four fifths of the speed of these, and take a quarter more of the CPU.
   */
  private static final long MAX_WRITE_BYTES = 1L << 20;

  /**
   * So long connections are not looked at while nothing is expected of peers: over tcp of 1.17 a
   * look costs a system call, as a poll for writes does.
   */
  private static final long BETWEEN_LOOKS_NANOS = 10_000;

  /** The NICs of this process. */
  private static final Set<Long> INSTANCES = ConcurrentHashMap.newKeySet();

  private final OpenFabric fabric;
  private final Arena arena;
  private final String provider;
  private final Links links;
  private final Accelerators accelerators;
  private final long instance;
  private final Regions regions;
  private final Writes writes;
  private final LookClock clock = new LookClock(System.nanoTime());
  private final Peers peers;
  private final Capabilities capabilities;
  private final int[] descriptors;
  private long nextLookNanos = System.nanoTime();
  private boolean failed;
  private boolean closed;

  private LibfabricDomain(OpenFabric fabric, Arena arena, Provider provider, OpenContext context) {
    this.fabric = fabric;
    this.arena = arena;
    this.provider = provider.name();
    FiInfo info = fabric.info;
    RandomKeys random = new RandomKeys();
    boolean inProcess = provider.place() == Provider.Place.PROCESS;
    int depth = (int) Math.min(context.nicDepth(), info.txSize());
    instance = random.next();
    links =
        info.isConnected()
            ? new ConnectedLinks(fabric, random, arena)
            : new DatagramLinks(fabric, arena, inProcess);
    accelerators = new Accelerators(context.devices());
    regions = new Regions(fabric, accelerators, links, random, inProcess);
    long injectBytes = inProcess ? info.injectBytes() : -1;
    writes = new Writes(fabric, accelerators, arena, links, depth, injectBytes);
    peers = new Peers(writes, new Asks(regions), context.connectTimeout().toNanos(), clock);
    capabilities =
        Capabilities.builder(Math.clamp(info.maxMessageBytes(), 1, MAX_WRITE_BYTES), depth)
            .completion(
                info.completesOnDelivery()
                    ? CompletionLevel.DELIVERED
                    : CompletionLevel.SOURCE_FREE)
            .fencesLostPeers(links.fencesLostPeers())
            .devices(
                info.reachesDevices() ? DeviceKind.known(context.devices()) : Set.of(Device.HOST))
            .build();
    descriptors =
        fabric.descriptor() < 0
            ? MUST_BE_POLLED
            : IntStream.of(fabric.descriptor(), links.descriptor())
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
    AtomicReference<@Nullable OpenFabric> opened = new AtomicReference<>();
    try {
      LibfabricDomain domain =
          library.guarded(() -> {
            OpenFabric fabric = new OpenFabric(library.lib(), info, arena);
            opened.set(fabric);
            LibfabricDomain made = new LibfabricDomain(fabric, arena, choice.provider(), context);
            made.regions.tryToListen();
            return made;
          });
      INSTANCES.add(domain.instance);
      return domain;
    } catch (RuntimeException e) {
      OpenFabric fabric = opened.get();
      try {
        if (fabric != null) {
          fabric.close();
        }
        arena.close();
      } catch (BackendException refusal) {
        e.addSuppressed(refusal); // what is open may still use what is in the arena
      }
      throw e;
    }
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public byte[] address() {
    return new FabricAddress(provider, instance).encode();
  }

  private void requireOpen() {
    if (closed) {
      throw new BackendException(0, "the NIC is closed");
    }
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    requireOpen();
    return CompletableFuture.completedStage(regions.register(memory, access));
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    requireOpen();
    return CompletableFuture.completedStage(regions.revoke((FabricMemory) memory));
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    if (!closed) {
      regions.remove((FabricMemory) memory);
    }
    return CompletableFuture.completedStage(null);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    FabricAddress decoded = FabricAddress.decode(address);
    if (!decoded.provider().equals(provider)) {
      throw new BackendException(
          0,
          "expected a NIC of provider "
              + provider
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
    return peers.resolve(engine);
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    Route route = new Route((FabricPeer) peer, Token.decode(key));
    route.peer().resolved(route);
    return route;
  }

  @Override
  public void release(RemoteMemory memory) {
    if (!closed) {
      writes.release((Route) memory);
    }
  }

  @Override
  public PostResult post(Operation op) {
    if (closed) {
      return PostResult.NIC_BUSY;
    }
    Route route = (Route) op.remote();
    return switch (route.state()) {
      case OPEN -> write(op, route);
      case DENIED ->
          peers.asksAgain(route) ? PostResult.PEER_BUSY : fail(op, route, 0, route.denial());
      case NEW, ASKED -> {
        peers.askWith(route);
        yield PostResult.PEER_BUSY;
      }
    };
  }

  private PostResult write(Operation op, Route route) {
    if (!route.holds(op.remoteOffset(), op.length())) {
      return fail(op, route, 0, route.outside(op.remoteOffset(), op.length()));
    }
    return switch (writes.post(op, route)) {
      case TAKEN -> PostResult.TAKEN;
      case REFUSED -> {
        peers.refused(route);
        yield PostResult.PEER_BUSY;
      }
      case NO_WAY -> {
        peers.ended(route);
        yield PostResult.PEER_BUSY;
      }
      case UNREACHABLE -> {
        BackendException cause = writes.lastError();
        String text = String.valueOf(cause.getMessage());
        peers.lose(route.peer(), cause.code(), text);
        yield fail(op, route, cause.code(), text);
      }
      case FAILED -> {
        BackendException cause = writes.lastError();
        yield fail(op, route, cause.code(), String.valueOf(cause.getMessage()));
      }
    };
  }

  /** It was never given to the provider. */
  private PostResult fail(Operation op, Route route, int code, String reason) {
    peers.failSoon(route.peer(), Failure.beforePost(op.token(), code, reason));
    return PostResult.TAKEN;
  }

  @Override
  public void fromPeer(RemotePeer from, ByteBuffer message) {
    if (!closed) {
      peers.heard((FabricPeer) from, message);
    }
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    if (closed) {
      return CompletableFuture.completedStage(null);
    }
    peers.disconnect((FabricPeer) peer, reason);
    return writes.fence();
  }

  @Override
  public void release(RemotePeer peer) {
    if (!closed) {
      peers.release((FabricPeer) peer);
    }
  }

  @Override
  public int poll(CompletionSink sink) {
    if (closed) {
      return 0;
    }
    long now = System.nanoTime();
    clock.polled(now);
    regions.closeFreed(now);
    int work = writes.poll(sink, peers);
    Failure broken = writes.broken();
    if (broken != null && !failed) {
      failed = true;
      sink.nicFailed(broken.code(), broken.text());
      peers.all().forEach(peer -> writes.disconnect(peer, broken.code(), broken.text()));
    }
    if (now - nextLookNanos >= 0 || peers.areUnsettled()) {
      work += look(now);
    }
    work += peers.settle(sink);
    work += writes.reportAbandoned(sink, peers);
    return work + peers.speak(sink);
  }

  /** At connections, and again with the next poll if there was something. */
  private int look(long now) {
    int changes = links.poll();
    if (changes > 0) {
      writes.endpointsChanged();
    }
    nextLookNanos = changes > 0 ? now : now + BETWEEN_LOOKS_NANOS;
    return changes;
  }

  @Override
  public int[] waitDescriptors() {
    return closed ? MUST_BE_POLLED : descriptors;
  }

  @Override
  public boolean prepareWait() {
    return !closed && !peers.isDue() && !writes.isClosing() && links.mayWait();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      INSTANCES.remove(instance);
      regions.close();
      links.close();
      fabric.close(); // if that fails the arena stays: what is open may use what is in it
      accelerators.close();
      arena.close();
    }
  }
}
