package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Backend;
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
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Backends with one defect: what a driver can get wrong without an engine above it. */
final class DriverSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.backend("17.1", "gives several NICs one name", DriverSaboteurs::oneName),
          Saboteur.backend("17.1", "lists all NICs for few", DriverSaboteurs::allForFew),
          Saboteur.nic("17.10", "drops what is beyond its depth", DropsBeyondDepth::new),
          Saboteur.nic("17.10", "has room for few reports", HasRoomForFewReports::new)
              .entailing(
                  "1.6", "2.9", "4.4", "9.4", "10.2", "10.3", "10.7", "11.6", "11.8", "17.2",
                  "17.5"),
          Saboteur.nic("17.11", "cuts a write that is too long", CutsWrites::new),
          Saboteur.nic("17.22", "calls itself busy for a peer", BusyForAPeer::new),
          Saboteur.nic("17.24", "copies one byte too few from a device", CutsDevice::new)
              .entailing("17.35"),
          Saboteur.nic("17.25", "takes any memory for its own", TakesAnyDevice::new),
          Saboteur.nic("17.26", "does not look whether a device has copied", TrustsDevice::new),
          Saboteur.nic("17.27", "releases all memory of one key", ReleasesTwins::new),
          Saboteur.nic("17.28", "names nothing that it can do", NamesNothing::new),
          Saboteur.nic("17.14", "blocks in poll for 2 ms", BlocksInPoll::new),
          Saboteur.nic("17.14", "blocks in post for 2 ms", BlocksInPost::new),
          Saboteur.nic("17.15", "takes anything for an address", TakesAnyAddress::new),
          Saboteur.nic("17.15", "trips over a short address", TripsOverShort::new),
          Saboteur.nic("17.16", "counts its keys", CountsKeys::new),
          Saboteur.nic("17.17", "says the key of a failed write", SaysKey::new),
          Saboteur.nic("17.17", "says in numbers what is no key", SaysBadKey::new));

  /** A number of NICs that no other rule asks for. */
  private static final int UNUSUAL = 5;

  private DriverSaboteurs() {}

  /** Whether it is a NIC of the rules that have no engine: the others are not to be slow. */
  static boolean isBare(OpenContext context) {
    return context.engine().low() == 1 || isBareTarget(context);
  }

  /** Whether it is the second of two such NICs. */
  static boolean isBareTarget(OpenContext context) {
    return context.engine().low() == 2;
  }

  private static Backend oneName(Backend inner) {
    return new ForwardingBackend(inner, (domain, context) -> domain) {
      @Override
      public List<Nic> nics(int count) {
        return count == UNUSUAL
            ? Collections.nCopies(count, inner.nics().getFirst())
            : inner.nics(count);
      }
    };
  }

  private static Backend allForFew(Backend inner) {
    return new ForwardingBackend(inner, (domain, context) -> domain) {
      @Override
      public List<Nic> nics(int count) {
        return inner.nics(count == UNUSUAL ? 8 : count);
      }
    };
  }

  /** What else is done by then is forgotten. */
  private static final class HasRoomForFewReports extends ForwardingDomain {
    private static final int ROOM = 60;

    private int room;

    HasRoomForFewReports(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public int poll(CompletionSink sink) {
      room = ROOM;
      return inner.poll(
          new ForwardingSink(sink) {
            @Override
            public void written(long token) {
              if (room-- > 0) {
                super.written(token);
              }
            }
          });
    }
  }

  private static final class DropsBeyondDepth extends TrackingDomain {
    DropsBeyondDepth(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      return out.size() >= inner.capabilities().queueDepth() ? PostResult.TAKEN : super.post(op);
    }
  }

  private static final class CutsWrites extends ForwardingDomain {
    private static final long MAX = 1 << 18;

    CutsWrites(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public Capabilities capabilities() {
      return inner.capabilities().toBuilder().maxWriteBytes(MAX).build();
    }

    @Override
    public PostResult post(Operation op) {
      return inner.post(
          op.length() > MAX ? op.copy().range(op.localOffset(), op.remoteOffset(), MAX) : op);
    }
  }

  private static final class CutsDevice extends ForwardingDomain {
    private final IdentityHashMap<LocalMemory, Boolean> ofDevices = new IdentityHashMap<>();

    CutsDevice(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      LocalMemory registered = now(inner.register(memory, access));
      if (!memory.device().equals(Device.HOST)) {
        ofDevices.put(registered, true);
      }
      return CompletableFuture.completedStage(registered);
    }

    @Override
    public PostResult post(Operation op) {
      return op.length() > 1 && ofDevices.containsKey(op.local())
          ? inner.post(op.copy().range(op.localOffset(), op.remoteOffset(), op.length() - 1))
          : inner.post(op);
    }
  }

  private static final class TakesAnyDevice extends ForwardingDomain {
    TakesAnyDevice(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      try {
        return inner.register(memory, access);
      } catch (BackendException e) {
        return CompletableFuture.completedStage(() -> new byte[16]);
      }
    }
  }

  private static final class TrustsDevice extends TrackingDomain {
    TrustsDevice(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void failed(Out write, int code, String text, CompletionSink sink) {
      if (text.contains("illegal address")) {
        written(write, sink);
      } else {
        super.failed(write, code, text, sink);
      }
    }
  }

  /** Busy, not asleep, so that nobody but the clock notices. */
  private static void dawdle(OpenContext context) {
    if (isBare(context)) {
      dawdle();
    }
  }

  /** For 2 ms. */
  static void dawdle() {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < 2_000_000) {
      Thread.onSpinWait();
    }
  }

  private static final class BlocksInPoll extends ForwardingDomain {
    private final OpenContext context;

    BlocksInPoll(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public int poll(CompletionSink sink) {
      dawdle(context);
      return inner.poll(sink);
    }
  }

  private static final class BlocksInPost extends ForwardingDomain {
    private final OpenContext context;

    BlocksInPost(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public PostResult post(Operation op) {
      if (op.length() == 100) {
        dawdle(context);
      }
      return inner.post(op);
    }
  }

  private static final class TakesAnyAddress extends ForwardingDomain {
    private record Nobody() implements RemotePeer, RemoteMemory {}

    TakesAnyAddress(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
      try {
        return inner.resolve(engine, nic, address);
      } catch (BackendException e) {
        return new Nobody();
      }
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      return peer instanceof Nobody nobody ? nobody : inner.resolve(peer, key, length);
    }

    @Override
    public PostResult post(Operation op) {
      return op.remote() instanceof Nobody ? PostResult.TAKEN : inner.post(op);
    }
  }

  private static final class TripsOverShort extends ForwardingDomain {
    TripsOverShort(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
      if (address.length < 4) {
        throw new ArrayIndexOutOfBoundsException(address.length);
      }
      return inner.resolve(engine, nic, address);
    }
  }

  private static final class CountsKeys extends ForwardingDomain {
    private static final AtomicLong LAST = new AtomicLong(0x1234_5678_9abc_def0L);
    private static final Map<ByteBuffer, byte[]> REAL = new ConcurrentHashMap<>();

    @SuppressWarnings("ArrayRecordComponent")
    private record Counted(LocalMemory real, byte[] key) implements LocalMemory {}

    CountsKeys(Domain inner, OpenContext context) {
      super(inner);
    }

    private static LocalMemory count(LocalMemory real) {
      byte[] key = ByteBuffer.allocate(16).putLong(LAST.incrementAndGet()).putLong(7).array();
      REAL.put(ByteBuffer.wrap(key), real.key());
      return new Counted(real, key);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      return CompletableFuture.completedStage(count(now(inner.register(memory, access))));
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
      return CompletableFuture.completedStage(count(now(inner.revoke(((Counted) memory).real()))));
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory memory) {
      now(inner.deregister(((Counted) memory).real()));
      return CompletableFuture.completedStage(null);
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      return inner.resolve(peer, REAL.getOrDefault(ByteBuffer.wrap(key), key), length);
    }

    @Override
    public PostResult post(Operation op) {
      return inner.post(op.copy().between(((Counted) op.local()).real(), op.remote()));
    }
  }

  private static final class SaysKey extends TrackingDomain {
    private final IdentityHashMap<RemoteMemory, byte[]> keys = new IdentityHashMap<>();

    SaysKey(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      RemoteMemory memory = super.resolve(peer, key, length);
      keys.put(memory, key);
      return memory;
    }

    @Override
    void failed(Out write, int code, String text, CompletionSink sink) {
      byte[] key = Objects.requireNonNull(keys.get(write.op.remote()));
      super.failed(write, code, text + " under " + HexFormat.of().formatHex(key), sink);
    }
  }

  private static final class SaysBadKey extends ForwardingDomain {
    SaysBadKey(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      if (key.length != 16) {
        throw new BackendException(0, "not a key: " + Arrays.toString(key));
      }
      return inner.resolve(peer, key, length);
    }
  }

  private static final class BusyForAPeer extends ForwardingDomain {
    private final OpenContext context;
    private boolean refused;

    BusyForAPeer(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public PostResult post(Operation op) {
      if (refused) {
        return inner.post(op);
      }
      refused = true;
      context.doorbell().ring();
      return PostResult.NIC_BUSY;
    }
  }

  private static final class ReleasesTwins extends TrackingDomain {
    private final Map<RemoteMemory, ByteBuffer> keys = new IdentityHashMap<>();
    private final Set<ByteBuffer> released = new HashSet<>();

    ReleasesTwins(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      RemoteMemory memory = super.resolve(peer, key, length);
      keys.put(memory, ByteBuffer.wrap(key));
      return memory;
    }

    @Override
    public void release(RemoteMemory memory) {
      released.add(Objects.requireNonNull(keys.remove(memory)));
      super.release(memory);
    }

    @Override
    public PostResult post(Operation op) {
      if (!released.contains(keys.get(op.remote()))) {
        return super.post(op);
      }
      failSoon(op.token());
      return PostResult.TAKEN;
    }
  }

  private static final class NamesNothing extends ForwardingDomain {

    private final boolean bare;

    NamesNothing(Domain inner, OpenContext context) {
      super(inner);
      this.bare = isBare(context);
    }

    @Override
    public Capabilities capabilities() {
      Capabilities all = inner.capabilities();
      return bare ? all.toBuilder().operations(Set.of()).build() : all;
    }
  }
}
