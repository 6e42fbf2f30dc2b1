package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Backends with one defect in what a revocation does to writes that are under way. */
final class RevocationSaboteurs {

  /** Of any memory, by any NIC: how an origin here knows what it is not told. */
  private static final AtomicLong REVOCATIONS = new AtomicLong();

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.nic(
                  "1.5",
                  "takes a write for done that was refused for a revocation on its way",
                  Overlooks::new)
              .entailing("9.1", "24.5"),
          Saboteur.nic("9.1", "counts a while after the bytes are there", CountsLate::new),
          Saboteur.nic("9.8", "gives out a key again", ComesBack::new),
          Saboteur.nic("9.4", "fails whatever is under way when memory is revoked", FailsAll::new)
              .entailing("7.4", "9.2", "9.7", "14.2", "14.3", "14.5"));

  private RevocationSaboteurs() {}

  /** A NIC that knows which writes were out when any memory was revoked. */
  private static class RevocationDomain extends TrackingDomain {
    final Set<Out> hit = new HashSet<>();
    private long seen = REVOCATIONS.get();

    RevocationDomain(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
      REVOCATIONS.incrementAndGet();
      return super.revoke(memory);
    }

    @Override
    public int poll(CompletionSink sink) {
      long now = REVOCATIONS.get();
      if (now != seen) {
        seen = now;
        hit.addAll(out.values());
      }
      return super.poll(sink);
    }
  }

  private static final class Overlooks extends RevocationDomain {

    Overlooks(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void written(Out write, CompletionSink sink) {
      hit.remove(write);
      super.written(write, sink);
    }

    @Override
    void failed(Out write, int code, String text, CompletionSink sink) {
      if (hit.remove(write)) {
        super.written(write, sink);
      } else {
        super.failed(write, code, text, sink);
      }
    }
  }

  private static final class FailsAll extends RevocationDomain {

    FailsAll(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void written(Out write, CompletionSink sink) {
      if (hit.remove(write)) {
        failed(write, 1, "sabotage", sink);
      } else {
        super.written(write, sink);
      }
    }
  }

  /** The second time that memory is revoked, the key of before the first is good again. */
  private static final class ComesBack extends ForwardingDomain {

    private static final Map<ByteBuffer, ByteBuffer> NAMES = new ConcurrentHashMap<>();

    private final Map<LocalMemory, LocalMemory> before = new IdentityHashMap<>();

    ComesBack(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
      LocalMemory renewed = now(super.revoke(memory));
      LocalMemory eldest = before.get(memory);
      if (eldest == null) {
        before.put(renewed, memory);
      } else {
        NAMES.put(ByteBuffer.wrap(eldest.key()), ByteBuffer.wrap(renewed.key()));
      }
      return CompletableFuture.completedStage(renewed);
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      ByteBuffer named = ByteBuffer.wrap(key);
      return super.resolve(peer, NAMES.getOrDefault(named, named).array(), length);
    }
  }

  /** The key is looked at for the bytes, and not again for the immediate. */
  private static final class CountsLate extends ForwardingDomain {

    private static final long LATE_NANOS = 5_000_000;

    private record Arrival(EngineId origin, int imm, long bytes, long nanos) {}

    private final OpenContext context;
    private final ArrayDeque<Arrival> late = new ArrayDeque<>();

    CountsLate(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public int poll(CompletionSink sink) {
      long now = System.nanoTime();
      int found = 0;
      for (; !late.isEmpty() && now - late.element().nanos() >= LATE_NANOS; found++) {
        Arrival first = late.remove();
        sink.immArrived(first.origin(), first.imm(), first.bytes());
      }
      found +=
          inner.poll(
              new ForwardingSink(sink) {
                @Override
                public void immArrived(EngineId origin, int imm, long bytes) {
                  late.add(new Arrival(origin, imm, bytes, now));
                }
              });
      if (!late.isEmpty()) {
        context.doorbell().ring();
      }
      return found;
    }
  }
}
