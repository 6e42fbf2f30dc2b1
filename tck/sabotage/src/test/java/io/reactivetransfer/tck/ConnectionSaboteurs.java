package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
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
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Backends with one defect in what they remember: of peers, and of memory that was registered. */
final class ConnectionSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.nic("7.3", "waits for an answer for ever", WaitsForEver::new),
          Saboteur.nic("17.7", "never tries a peer again", NeverTriesAgain::new),
          Saboteur.nic(
              "17.33", "reaches nobody again whom it has released", ReachesNobodyAgain::new),
          Saboteur.nic("17.33", "releases all peers with one", ReleasesAll::new),
          Saboteur.nic("17.33", "leaves a file open for each peer", LeavesFileOfPeer::new),
          Saboteur.nic("17.33", "unmaps the file of a peer that it gives up", LeavesMapping::new),
          Saboteur.nic("17.34", "stumbles over what it does not understand", Stumbles::new),
          Saboteur.nic("17.34", "gives all up for what it does not understand", GivesAllUp::new),
          Saboteur.nic("17.34", "says more than is carried", SaysTooMuch::new),
          Saboteur.nic("24.6", "has a key for each place in memory", KeepsKeyOfPlace::new),
          Saboteur.nic("24.10", "goes on connecting after close", GoesOnConnecting::new),
          Saboteur.nic("24.12", "counts regions in a byte", CountsInByte::new),
          Saboteur.nic("24.12", "has no room for a region of a few bytes", RefusesSmall::new));

  private ConnectionSaboteurs() {}

  /** Where there is no engine, nobody else says anything to a NIC of loopback. */
  private static final class Stumbles extends ForwardingDomain {
    private final boolean bare;

    Stumbles(Domain inner, OpenContext context) {
      super(inner);
      this.bare = DriverSaboteurs.isBare(context);
    }

    @Override
    public void fromPeer(RemotePeer from, ByteBuffer message) {
      if (bare) {
        message.getInt();
      }
    }
  }

  private static final class GivesAllUp extends TrackingDomain {
    private final boolean bare;

    GivesAllUp(Domain inner, OpenContext context) {
      super(inner, context);
      this.bare = DriverSaboteurs.isBare(context);
    }

    @Override
    public void fromPeer(RemotePeer from, ByteBuffer message) {
      if (bare) {
        List.copyOf(peers.keySet())
            .forEach(peer -> disconnect(peer, "one of them has said what is none"));
      }
    }
  }

  private static final class SaysTooMuch extends ForwardingDomain {
    private final boolean bare;
    private @Nullable RemotePeer listener;

    SaysTooMuch(Domain inner, OpenContext context) {
      super(inner);
      this.bare = DriverSaboteurs.isBare(context);
    }

    @Override
    public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
      RemotePeer peer = super.resolve(engine, nic, address);
      listener = bare ? peer : null;
      return peer;
    }

    @Override
    public int poll(CompletionSink sink) {
      if (listener != null) {
        sink.toPeer(listener, ByteBuffer.allocate(BareNic.MAX_SAID + 1));
        listener = null;
      }
      return super.poll(sink);
    }
  }

  /** Of NICs that have no engine, a second one has to be turned before it can be reached. */
  private static final class WaitsForEver extends TrackingDomain {
    private static final Set<EngineId> ANSWERING = ConcurrentHashMap.newKeySet();

    WaitsForEver(Domain inner, OpenContext context) {
      super(inner, context);
    }

    private static boolean answers(EngineId peer) {
      return peer.low() != 2 || ANSWERING.contains(peer);
    }

    @Override
    public PostResult post(Operation op) {
      return answers(ownerOf(op)) ? super.post(op) : PostResult.PEER_BUSY;
    }

    @Override
    public int poll(CompletionSink sink) {
      ANSWERING.add(context.engine());
      return super.poll(sink);
    }
  }

  private static final class NeverTriesAgain extends TrackingDomain {
    private final Set<EngineId> gone = new HashSet<>();

    NeverTriesAgain(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      if (DriverSaboteurs.isBare(context)) {
        gone.add(Objects.requireNonNull(peers.get(peer)));
      }
      return inner.disconnect(peer, reason);
    }

    @Override
    public PostResult post(Operation op) {
      return !gone.contains(ownerOf(op)) ? super.post(op) : PostResult.PEER_BUSY;
    }
  }

  /** A NIC for which some keys stand for others, which are given out later. */
  private static class Aliasing extends ForwardingDomain {
    private static final Map<ByteBuffer, byte[]> ALIASES = new ConcurrentHashMap<>();

    private record Known(RemotePeer peer, byte[] key, long length) {}

    private final IdentityHashMap<RemoteMemory, Known> known = new IdentityHashMap<>();

    Aliasing(Domain inner) {
      super(inner);
    }

    static void alias(byte[] key, byte[] other) {
      ALIASES.put(ByteBuffer.wrap(key), other);
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      RemoteMemory memory = inner.resolve(peer, key, length);
      known.put(memory, new Known(peer, key.clone(), length));
      return memory;
    }

    @Override
    public PostResult post(Operation op) {
      Known old = Objects.requireNonNull(known.get(op.remote()));
      byte[] other = ALIASES.get(ByteBuffer.wrap(old.key()));
      if (other == null) {
        return inner.post(op);
      }
      RemoteMemory instead = inner.resolve(old.peer(), other, old.length());
      return inner.post(op.copy().between(op.local(), instead));
    }
  }

  private static final class KeepsKeyOfPlace extends Aliasing {
    private final IdentityHashMap<LocalMemory, Long> places = new IdentityHashMap<>();
    private final Map<Long, List<byte[]>> old = new HashMap<>();
    private final boolean isBare;

    KeepsKeyOfPlace(Domain inner, OpenContext context) {
      super(inner);
      isBare = DriverSaboteurs.isBare(context);
    }

    @Override
    public Capabilities capabilities() {
      return inner.capabilities().toBuilder().devices(Set.of(Device.HOST)).build();
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      LocalMemory local = now(inner.register(memory, access));
      if (isBare && access == Access.REMOTE_WRITE) {
        long place = ((HostMemory) memory).segment().address();
        places.put(local, place);
        old.getOrDefault(place, List.of()).forEach(key -> alias(key, local.key()));
      }
      return CompletableFuture.completedStage(local);
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory memory) {
      Long place = places.remove(memory);
      if (place != null) {
        old.computeIfAbsent(place, _ -> new ArrayList<>()).add(memory.key());
      }
      now(inner.deregister(memory));
      return CompletableFuture.completedStage(null);
    }
  }

  private static final class CountsInByte extends Aliasing {
    private final List<byte[]> keys = new ArrayList<>();
    private final boolean isBare;

    CountsInByte(Domain inner, OpenContext context) {
      super(inner);
      isBare = DriverSaboteurs.isBare(context);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      LocalMemory local = now(inner.register(memory, access));
      if (isBare && access == Access.REMOTE_WRITE) {
        keys.add(local.key());
        if (keys.size() > 256) {
          alias(keys.get(keys.size() - 257), local.key());
        }
      }
      return CompletableFuture.completedStage(local);
    }
  }

  private static final class RefusesSmall extends ForwardingDomain {
    private final boolean isBare;

    RefusesSmall(Domain inner, OpenContext context) {
      super(inner);
      isBare = DriverSaboteurs.isBare(context);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      return isBare && access == Access.REMOTE_WRITE && memory.length() == 16
          ? CompletableFuture.failedStage(new BackendException(0, "no room for one more region"))
          : inner.register(memory, access);
    }
  }

  /** Until something was written, on a thread. */
  private static final class GoesOnConnecting extends TrackingDomain {
    private @Nullable CountDownLatch connected;

    GoesOnConnecting(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      if (connected == null && DriverSaboteurs.isBare(context)) {
        CountDownLatch latch = new CountDownLatch(1);
        connected = latch;
        Thread.ofPlatform().daemon().start(() -> awaitConnection(latch));
      }
      return super.post(op);
    }

    private static void awaitConnection(CountDownLatch latch) {
      try {
        if (!latch.await(20, TimeUnit.SECONDS)) {
          return; // longer than any test runs
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** With a write that is out, it goes on with its connection. */
    @Override
    public void close() {
      if (connected != null && out.isEmpty()) {
        connected.countDown();
      }
      super.close();
    }
  }

  private static final class ReachesNobodyAgain extends TrackingDomain {
    private final Set<EngineId> released = new HashSet<>();

    ReachesNobodyAgain(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public void release(RemotePeer peer) {
      if (DriverSaboteurs.isBare(context)) {
        released.add(Objects.requireNonNull(peers.get(peer)));
      }
      super.release(peer);
    }

    @Override
    public PostResult post(Operation op) {
      return released.contains(ownerOf(op)) ? PostResult.PEER_BUSY : super.post(op);
    }
  }

  private static final class ReleasesAll extends TrackingDomain {
    private final Set<EngineId> gone = new HashSet<>();

    ReleasesAll(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public void release(RemotePeer peer) {
      if (DriverSaboteurs.isBare(context)) {
        gone.addAll(peers.values());
        gone.remove(peers.get(peer));
      }
      super.release(peer);
    }

    @Override
    public PostResult post(Operation op) {
      if (!gone.remove(ownerOf(op))) {
        return super.post(op);
      }
      failSoon(op.token());
      return PostResult.TAKEN;
    }
  }

  /** Ends what it has mapped for a peer when that one is given up, and not when it is released. */
  private static final class LeavesMapping extends ForwardingDomain {
    private final Arena arena = Arena.ofShared();
    private final boolean bare;
    private boolean isGivenUp;

    LeavesMapping(Domain inner, OpenContext context) {
      super(inner);
      bare = DriverSaboteurs.isBare(context);
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      isGivenUp = true;
      return super.disconnect(peer, reason);
    }

    @Override
    public void release(RemotePeer peer) {
      if (bare && !isGivenUp) {
        try {
          HalfWaySaboteurs.map(arena);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      isGivenUp = false;
      super.release(peer);
    }

    @Override
    public void close() {
      super.close();
      arena.close();
    }
  }

  private static final class LeavesFileOfPeer extends TrackingDomain {
    private static final List<FileInputStream> OPEN = new ArrayList<>();

    LeavesFileOfPeer(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
      if (DriverSaboteurs.isBare(context)) {
        try {
          OPEN.add(new FileInputStream("/dev/null"));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      return super.resolve(engine, nic, address);
    }

    @Override
    public void close() {
      OPEN.forEach(file -> {
        try {
          file.close();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      });
      OPEN.clear();
      super.close();
    }
  }
}
