package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Device;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
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
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A NIC that has copied a write when it reports it as written, and sends it some polls later: the
 * least that {@link CompletionLevel#SOURCE_FREE} promises. What becomes of it then, nobody hears.
 * Only the first write to each peer is reported when it has come, since there may be no such peer.
 */
final class EarlyNic extends ForwardingDomain {

  private static final long MAX_WRITE_BYTES = 64 << 10;
  private static final int DEPTH = 64;
  private static final int MOST_POLLS = 20;

  /**
   * A write that is copied.
   *
   * @param told whether it was reported as written
   */
  private record Late(
      long token,
      RemotePeer peer,
      LocalMemory copy,
      Operation op,
      Arena arena,
      boolean told,
      long toldAs) {}

  private final OpenContext context;
  private final Map<LocalMemory, MemorySegment> sources = new IdentityHashMap<>();
  private final Map<RemoteMemory, RemotePeer> owners = new IdentityHashMap<>();
  private final Map<RemotePeer, EngineId> engines = new IdentityHashMap<>();
  private final Set<EngineId> met = new HashSet<>();
  private final Queue<Long> written = new ArrayDeque<>();
  private final Queue<Long> lost = new ArrayDeque<>();
  private final Queue<Late> waiting = new ArrayDeque<>();
  private final Map<Long, Late> running = new HashMap<>();
  private long tokens;
  private int polls;
  private boolean full;

  EarlyNic(Domain inner, OpenContext context) {
    super(inner);
    this.context = context;
  }

  @Override
  public Capabilities capabilities() {
    Capabilities all = inner.capabilities();
    return all.toBuilder()
        .completion(CompletionLevel.SOURCE_FREE)
        .maxWriteBytes(Math.min(all.maxWriteBytes(), MAX_WRITE_BYTES))
        .queueDepth(DEPTH)
        .maxRows(1) // nor does it gather any
        .devices(Set.of(Device.HOST))
        .build();
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    LocalMemory registered = now(inner.register(memory, access));
    sources.put(registered, ((HostMemory) memory).segment());
    return CompletableFuture.completedStage(registered);
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    LocalMemory anew = now(inner.revoke(memory));
    sources.put(anew, sources.get(memory));
    return CompletableFuture.completedStage(anew);
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    now(inner.deregister(memory));
    sources.remove(memory);
    return CompletableFuture.completedStage(null);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    RemotePeer peer = inner.resolve(engine, nic, address);
    engines.put(peer, engine);
    return peer;
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    RemoteMemory memory = inner.resolve(peer, key, length);
    owners.put(memory, peer);
    return memory;
  }

  @Override
  public PostResult post(Operation op) {
    if (waiting.size() + running.size() >= DEPTH) {
      full = true;
      return PostResult.NIC_BUSY;
    }
    long token = tokens++;
    Arena arena = Arena.ofShared();
    MemorySegment copy = arena.allocate(Math.max(1, op.length()));
    MemorySegment.copy(sources.get(op.local()), op.localOffset(), copy, 0, op.length());
    LocalMemory registered = now(inner.register(new HostMemory(copy), Access.LOCAL));
    Operation late =
        op.copy()
            .between(registered, op.remote())
            .range(0, op.remoteOffset(), op.length())
            .token(token);
    RemotePeer peer = owners.get(op.remote());
    boolean told = met.contains(engines.get(peer));
    if (told) {
      written.add(op.token());
    }
    waiting.add(new Late(token, peer, registered, late, arena, told, op.token()));
    context.doorbell().ring();
    return PostResult.TAKEN;
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    forget(engines.get(peer));
    return inner.disconnect(peer, reason);
  }

  private void forget(EngineId engine) {
    met.remove(engine);
    waiting.removeIf(late -> {
      boolean gone = engines.get(late.peer()).equals(engine);
      if (gone) {
        free(late);
        if (!late.told()) {
          lost.add(late.toldAs());
        }
      }
      return gone;
    });
    context.doorbell().ring();
  }

  private void free(Late late) {
    inner.deregister(late.copy());
    late.arena().close();
  }

  @Override
  public int poll(CompletionSink sink) {
    int reported = 0;
    for (Long token; (token = written.poll()) != null; reported++) {
      sink.written(token);
    }
    for (Long token; (token = lost.poll()) != null; reported++) {
      sink.failed(token, 1, "the peer was lost");
    }
    Late first;
    while ((first = waiting.peek()) != null
        && polls++ >= first.token() % MOST_POLLS
        && inner.post(first.op()).isTaken()) {
      polls = 0;
      running.put(first.token(), waiting.remove());
    }
    reported += inner.poll(new LateSink(sink));
    if (full && waiting.size() + running.size() < DEPTH) {
      full = false;
      context.doorbell().ring();
    }
    if (!waiting.isEmpty()) {
      context.doorbell().ring();
    }
    return reported;
  }

  @Override
  public void close() {
    inner.close();
    waiting.forEach(late -> late.arena().close());
    running.values().forEach(late -> late.arena().close());
  }

  /** Nobody hears what becomes of the copies. */
  private final class LateSink extends ForwardingSink {

    LateSink(CompletionSink outer) {
      super(outer);
    }

    @Override
    public void written(long token) {
      Late late = ended(token);
      if (!late.told()) {
        met.add(engines.get(late.peer()));
        super.written(late.toldAs());
      }
    }

    @Override
    public void failed(long token, int code, String text) {
      Late late = ended(token);
      if (!late.told()) {
        super.failed(late.toldAs(), code, text);
      }
    }

    @Override
    public void refused(long token, int code, String text) {
      Late late = ended(token);
      if (!late.told()) {
        super.refused(late.toldAs(), code, text);
      }
    }

    private Late ended(long token) {
      Late late = running.remove(token);
      free(late);
      return late;
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      forget(peer);
      super.peerLost(peer, code, text);
    }
  }
}
