package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A NIC that knows which writes are out; the base of what treats some of them wrongly. */
class TrackingDomain extends ForwardingDomain {

  /**
   * A write that is out. Hidden ones are not reported: nobody knows of them, or was told already.
   */
  static final class Out {
    final Operation op;
    final EngineId peer;
    boolean hidden;

    Out(Operation op, EngineId peer, boolean hidden) {
      this.op = op;
      this.peer = peer;
      this.hidden = hidden;
    }
  }

  final OpenContext context;
  final Map<Long, Out> out = new LinkedHashMap<>();
  private final List<Long> hasty = new ArrayList<>();
  private final List<Long> failing = new ArrayList<>();
  final IdentityHashMap<RemotePeer, EngineId> peers = new IdentityHashMap<>();
  private final IdentityHashMap<RemoteMemory, EngineId> owners = new IdentityHashMap<>();
  private long next;

  TrackingDomain(Domain inner, OpenContext context) {
    super(inner);
    this.context = context;
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    RemotePeer peer = inner.resolve(engine, nic, address);
    peers.put(peer, engine);
    return peer;
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    RemoteMemory memory = inner.resolve(peer, key, length);
    owners.put(memory, Objects.requireNonNull(peers.get(peer)));
    return memory;
  }

  @Override
  public void release(RemoteMemory memory) {
    owners.remove(memory);
    inner.release(memory);
  }

  @Override
  public PostResult post(Operation op) {
    return pass(op, false);
  }

  /** Has the NIC do it. */
  final PostResult pass(Operation op, boolean hidden) {
    return pass(op, ownerOf(op), hidden);
  }

  /** The same of one whose memory may have been released since this was its owner. */
  final PostResult pass(Operation op, EngineId owner, boolean hidden) {
    Operation passed = op.copy().token(next);
    if (!inner.post(passed).isTaken()) {
      return PostResult.NIC_BUSY;
    }
    out.put(next++, new Out(op.copy(), owner, hidden));
    return PostResult.TAKEN;
  }

  final EngineId ownerOf(Operation op) {
    return Objects.requireNonNull(owners.get(op.remote()));
  }

  /** Reports a write as done in the next poll, whatever the NIC says later. */
  final void reportSoon(long token) {
    hasty.add(token);
    context.doorbell().ring();
  }

  /** Reports a write as failed in the next poll. */
  final void failSoon(long token) {
    failing.add(token);
    context.doorbell().ring();
  }

  @Override
  public int poll(CompletionSink sink) {
    int reported = hasty.size() + failing.size();
    List<Long> done = List.copyOf(hasty);
    List<Long> failed = List.copyOf(failing);
    hasty.clear();
    failing.clear();
    done.forEach(sink::written);
    failed.forEach(token -> sink.failed(token, 1, "sabotage"));
    return reported + inner.poll(new Tracker(sink));
  }

  void written(Out write, CompletionSink sink) {
    if (!write.hidden) {
      sink.written(write.op.token());
    }
  }

  void failed(Out write, int code, String text, CompletionSink sink) {
    if (!write.hidden) {
      sink.failed(write.op.token(), code, text);
    }
  }

  void lost(EngineId peer, int code, String text, CompletionSink sink) {
    sink.peerLost(peer, code, text);
  }

  void arrived(int imm, long bytes, CompletionSink sink) {
    sink.immArrived(imm, bytes);
  }

  private final class Tracker extends ForwardingSink {

    Tracker(CompletionSink inner) {
      super(inner);
    }

    @Override
    public void written(long token) {
      TrackingDomain.this.written(Objects.requireNonNull(out.remove(token)), inner);
    }

    @Override
    public void failed(long token, int code, String text) {
      TrackingDomain.this.failed(Objects.requireNonNull(out.remove(token)), code, text, inner);
    }

    /** Like a failure, but what is passed on of it says that the target has refused. */
    @Override
    public void refused(long token, int code, String text) {
      TrackingDomain.this.failed(
          Objects.requireNonNull(out.remove(token)),
          code,
          text,
          new ForwardingSink(inner) {
            @Override
            public void failed(long changed, int changedCode, String changedText) {
              inner.refused(changed, changedCode, changedText);
            }
          });
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      lost(peer, code, text, inner);
    }

    @Override
    public void immArrived(int imm, long bytes) {
      arrived(imm, bytes, inner);
    }

    @Override
    public void immArrived(EngineId origin, int imm, long bytes) {
      arrived(
          imm,
          bytes,
          new ForwardingSink(inner) {
            @Override
            public void immArrived(int changed, long told) {
              inner.immArrived(origin, changed, told);
            }
          });
    }
  }
}
