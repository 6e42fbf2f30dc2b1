package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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

/** Backends with one defect in how they treat memory, keys or lost peers. */
final class MemorySaboteurs {

  /** Memory by its key: what a target knows and an origin here may cheat with. */
  private static final Map<ByteBuffer, Memory> BY_KEY = new ConcurrentHashMap<>();

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.talks("7.3", "tries for ever to reach who is not there", TriesForEver::new)
              .entailing("17.15"),
          Saboteur.nic("9.1", "lets the old key live on", IgnoresRevoke::new)
              .entailing("17.17", "24.5"),
          Saboteur.nic("9.3", "fails own writes from revoked memory", FailsRevokedSource::new),
          Saboteur.nic("11.1", "rounds odd lengths up", RoundsUp::new)
              .entailing("11.8", "11.9", "17.35", "24.1", "24.8"),
          Saboteur.nic("11.4", "loses the last byte of a region", LosesLastByte::new)
              .entailing("1.5", "17.2", "17.35", "24.2", "24.11", "24.12"),
          Saboteur.nic("11.5", "writes a byte when there is none to write", WritesOneByte::new),
          Saboteur.nic("11.7", "changes the source", ChangesSource::new),
          Saboteur.nic("14.3", "deregisters all of the same address", DeregistersTwins::new),
          Saboteur.nic("17.4", "writes beyond the end of the memory", WritesBeyond::new)
              .entailing("17.17", "24.3"),
          Saboteur.nic("17.30", "checks the bounds of the first row only", ChecksFirstRow::new),
          Saboteur.nic("17.6", "forgets writes to a lost peer", ForgetsWrites::new),
          Saboteur.nic("24.13", "takes what it could not read for written", SwallowsSource::new),
          Saboteur.nic("24.13", "takes what it could not copy for written", SwallowsTarget::new),
          Saboteur.nic("23.6", "refuses memory of a device that it declares", Denies::new));

  private MemorySaboteurs() {}

  /** A NIC that knows the memory behind both ends of a write. */
  static class KnowingDomain extends TrackingDomain {
    final IdentityHashMap<LocalMemory, HostMemory> local = new IdentityHashMap<>();
    final IdentityHashMap<LocalMemory, Access> access = new IdentityHashMap<>();
    final IdentityHashMap<RemoteMemory, Memory> remote = new IdentityHashMap<>();

    KnowingDomain(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public Capabilities capabilities() {
      return inner.capabilities().toBuilder().devices(Set.of(Device.HOST)).build();
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access allowed) {
      return CompletableFuture.completedStage(
          know(now(inner.register(memory, allowed)), (HostMemory) memory, allowed));
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
      return CompletableFuture.completedStage(
          know(
              now(inner.revoke(memory)),
              Objects.requireNonNull(local.get(memory)),
              Objects.requireNonNull(access.get(memory))));
    }

    final LocalMemory know(LocalMemory registered, HostMemory memory, Access allowed) {
      local.put(registered, memory);
      access.put(registered, allowed);
      BY_KEY.put(ByteBuffer.wrap(registered.key()), memory);
      return registered;
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      RemoteMemory resolved = super.resolve(peer, key, length);
      Memory known = BY_KEY.get(ByteBuffer.wrap(key));
      if (known != null) {
        remote.put(resolved, known);
      }
      return resolved;
    }

    /** Bytes of the target's memory; none if it is not known. */
    final long targetLength(Operation op) {
      Memory memory = remote.get(op.remote());
      return memory == null ? 0 : memory.length();
    }

    final MemorySegment source(Operation op) {
      return Objects.requireNonNull(local.get(op.local())).segment();
    }
  }

  /** As who catches what is thrown by memory that was freed, and goes on. */
  private static final class SwallowsSource extends KnowingDomain {
    SwallowsSource(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void failed(Out write, int code, String text, CompletionSink sink) {
      if (source(write.op).scope().isAlive()) {
        super.failed(write, code, text, sink);
      } else {
        written(write, sink);
      }
    }
  }

  private static final class SwallowsTarget extends KnowingDomain {
    SwallowsTarget(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void failed(Out write, int code, String text, CompletionSink sink) {
      if (remote.get(write.op.remote()) instanceof HostMemory host
          && !host.segment().scope().isAlive()) {
        written(write, sink);
      } else {
        super.failed(write, code, text, sink);
      }
    }
  }

  /** Only to engines: what a bare NIC does with such memory is another rule's. */
  private static final class Denies extends ForwardingDomain {
    private final boolean isBare;

    Denies(Domain inner, OpenContext context) {
      super(inner);
      isBare = DriverSaboteurs.isBare(context);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      return isBare || memory instanceof HostMemory
          ? inner.register(memory, access)
          : CompletableFuture.failedStage(
              new BackendException(0, "expected host memory, got some of " + memory.device()));
    }
  }

  private static final class TriesForEver extends ForwardingControl {
    private final Set<EngineId> heard = new HashSet<>();

    TriesForEver(ControlChannel inner) {
      super(inner);
    }

    @Override
    public int poll(ControlSink sink) {
      return super.poll(
          new ForwardingControlSink(sink) {
            @Override
            public void received(EngineId sender, ByteBuffer bytes) {
              heard.add(sender);
              super.received(sender, bytes);
            }

            @Override
            public void peerLost(EngineId peer, int code, String text) {
              if (heard.contains(peer)) {
                super.peerLost(peer, code, text);
              }
            }
          });
    }
  }

  private static final class IgnoresRevoke extends KnowingDomain {
    private final Map<LocalMemory, List<LocalMemory>> before = new IdentityHashMap<>();

    IgnoresRevoke(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
      HostMemory known = Objects.requireNonNull(local.get(memory));
      Access allowed = Objects.requireNonNull(access.get(memory));
      LocalMemory renamed = know(now(inner.register(known, allowed)), known, allowed);
      List<LocalMemory> old = new ArrayList<>(before.getOrDefault(memory, List.of()));
      old.add(memory);
      before.put(renamed, old);
      return CompletableFuture.completedStage(renamed);
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory memory) {
      before.getOrDefault(memory, List.of()).forEach(inner::deregister);
      now(inner.deregister(memory));
      return CompletableFuture.completedStage(null);
    }
  }

  private static final class FailsRevokedSource extends TrackingDomain {
    private final IdentityHashMap<LocalMemory, Boolean> revoked = new IdentityHashMap<>();

    FailsRevokedSource(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
      revoked.put(memory, true);
      return inner.revoke(memory);
    }

    @Override
    public PostResult post(Operation op) {
      if (revoked.containsKey(op.local())) {
        failSoon(op.token());
        return PostResult.TAKEN;
      }
      return super.post(op);
    }
  }

  private static final class RoundsUp extends KnowingDomain {
    RoundsUp(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      long more = op.length() + 1;
      boolean room =
          op.rows() == 1
              && !op.isGathered()
              && op.remoteOffset() + more <= targetLength(op)
              && op.localOffset() + more <= source(op).byteSize();
      return op.length() % 2 == 1 && room
          ? super.post(op.copy().range(op.localOffset(), op.remoteOffset(), more))
          : super.post(op);
    }
  }

  private static final class LosesLastByte extends KnowingDomain {
    LosesLastByte(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      boolean last = op.length() > 0 && op.remoteOffset() + op.length() == targetLength(op);
      return last
          ? super.post(op.copy().range(op.localOffset(), op.remoteOffset(), op.length() - 1))
          : super.post(op);
    }
  }

  private static final class WritesOneByte extends KnowingDomain {
    WritesOneByte(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      boolean nothing = op.length() == 0 && !op.hasImm() && op.remoteOffset() < targetLength(op);
      return nothing
          ? super.post(op.copy().range(op.localOffset(), op.remoteOffset(), 1))
          : super.post(op);
    }
  }

  private static final class ChangesSource extends KnowingDomain {
    ChangesSource(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void written(Out write, CompletionSink sink) {
      if (write.op.length() == 24) {
        MemorySegment source = source(write.op);
        long at = write.op.localOffset();
        source.set(ValueLayout.JAVA_BYTE, at, (byte) ~source.get(ValueLayout.JAVA_BYTE, at));
      }
      super.written(write, sink);
    }
  }

  private static final class DeregistersTwins extends KnowingDomain {
    DeregistersTwins(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory memory) {
      long address = Objects.requireNonNull(local.get(memory)).segment().address();
      List.copyOf(local.keySet()).stream()
          .filter(other -> Objects.requireNonNull(local.get(other)).segment().address() == address)
          .forEach(inner::deregister);
      return CompletableFuture.completedStage(null);
    }
  }

  private static final class WritesBeyond extends KnowingDomain {
    WritesBeyond(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    @SuppressWarnings("restricted") // the point of it: nothing checks this access
    public PostResult post(Operation op) {
      Memory memory = remote.get(op.remote());
      long end = op.remoteOffset() + op.length();
      if (!(memory instanceof HostMemory host) || end <= host.length()) {
        return super.post(op);
      }
      MemorySegment beyond = MemorySegment.ofAddress(host.segment().address()).reinterpret(end);
      MemorySegment.copy(source(op), op.localOffset(), beyond, op.remoteOffset(), op.length());
      reportSoon(op.token());
      return PostResult.TAKEN;
    }
  }

  /** What lies within is written, and what lies beyond is not. */
  private static final class ChecksFirstRow extends KnowingDomain {
    ChecksFirstRow(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      long length = op.rowLength();
      boolean isFirstWithin =
          op.remoteOffset() >= 0 && op.remoteOffset() <= targetLength(op) - length;
      boolean areAllWithin = op.remoteOffset() <= targetLength(op) - op.remoteExtent();
      return op.rows() == 1 || !isFirstWithin || areAllWithin
          ? super.post(op)
          : super.post(op.copy().range(op.localOffset(), op.remoteOffset(), length));
    }
  }

  private static final class ForgetsWrites extends TrackingDomain {
    private final Map<EngineId, Integer> failures = new HashMap<>();
    private boolean givenUp;

    ForgetsWrites(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      givenUp = true; // that is another rule
      return super.disconnect(peer, reason);
    }

    @Override
    void lost(EngineId peer, int code, String text, CompletionSink sink) {
      if (!givenUp) {
        failures.put(peer, 0);
      }
      super.lost(peer, code, text, sink);
    }

    @Override
    void failed(Out write, int code, String text, CompletionSink sink) {
      Integer before = failures.computeIfPresent(write.peer, (peer, count) -> count + 1);
      if (before == null || before == 1) {
        super.failed(write, code, text, sink);
      }
    }
  }
}
