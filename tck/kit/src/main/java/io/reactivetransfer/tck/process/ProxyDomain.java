package io.reactivetransfer.tck.process;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Stands for a NIC in the other process: everything goes through two rings. */
final class ProxyDomain implements Domain {

  private static final long PATIENCE_NANOS = 20_000_000_000L;
  private static final int BATCH = 256;

  /** What a record has beside the numbers of rows, at most, in bytes. */
  private static final int DESCRIPTION_BYTES = 128;

  /** The most rows of one write that are gathered: as many as one record has room for. */
  static final int MAX_GATHER = (Ring.MAX_RECORD_BYTES - DESCRIPTION_BYTES) / Integer.BYTES;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Local(int handle, byte[] key) implements LocalMemory {}

  private record Remote(int handle, To to) implements RemoteMemory {}

  private static final class To implements RemotePeer {
    final int handle;
    final EngineId engine;

    /**
     * How often it was told to be lost: what is asked before the next loss is told ends with it.
     */
    int losses;

    To(int handle, EngineId engine, int losses) {
      this.handle = handle;
      this.engine = engine;
      this.losses = losses;
    }
  }

  private final SharedMemory memory;
  private final Ring requests;
  private final Ring reports;
  private final Capabilities capabilities;
  private final byte[] address;
  private final BooleanSupplier otherIsAlive;
  private final Runnable whenClosed;
  private final Queue<ByteBuffer> early = new ArrayDeque<>();
  private final Map<Integer, CompletableFuture<Void>> fences = new HashMap<>();
  private final Map<Integer, To> peers = new HashMap<>();
  private final Map<EngineId, Integer> losses = new HashMap<>();
  private int lastHandle;
  private boolean closed;
  private int lastFence;

  ProxyDomain(
      SharedMemory memory,
      int index,
      Capabilities capabilities,
      byte[] address,
      BooleanSupplier otherIsAlive,
      Runnable whenClosed) {
    this.memory = memory;
    this.requests = memory.requests(index);
    this.reports = memory.reports(index);
    this.capabilities = capabilities;
    this.address = address;
    this.otherIsAlive = otherIsAlive;
    this.whenClosed = whenClosed;
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public byte[] address() {
    return address.clone();
  }

  /** Asks, and waits by spinning: a thread that drives NICs must not block. */
  private byte[] call(ByteBuffer request) {
    if (closed) {
      throw new BackendException(0, "the NIC is closed");
    }
    request.flip();
    long begin = System.nanoTime();
    while (!requests.offer(request)) {
      checkPatience(begin);
    }
    while (true) {
      ByteBuffer answer = reports.poll();
      if (answer == null) {
        checkPatience(begin);
        continue;
      }
      switch (Kind.of(answer)) {
        case DONE -> {
          return Kind.rest(answer);
        }
        case REFUSED -> throw new BackendException(answer.getInt(), Kind.text(answer));
        default -> early.add(answer.rewind());
      }
    }
  }

  private void checkPatience(long begin) {
    if (!otherIsAlive.getAsBoolean()) {
      throw new BackendException(0, "the process of the NICs is gone: see what it printed");
    }
    if (System.nanoTime() - begin > PATIENCE_NANOS) {
      throw new BackendException(0, "the process of the NICs does not answer");
    }
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory given, Access access) {
    if (!(given instanceof HostMemory host)) {
      throw new BackendException(
          0,
          "expected host memory, as this goes to another process, got some of device "
              + given.device());
    }
    MemorySegment segment = host.segment();
    long length = segment.byteSize();
    long offset = memory.offsetOf(segment);
    if (offset < 0) { // of the engine itself, or too small to matter: only what is in it now
      MemorySegment shadow = memory.allocate(length, 1).copyFrom(segment);
      offset = memory.offsetOf(shadow);
    }
    int handle = ++lastHandle;
    byte[] key =
        call(
            Kind.REGISTER
                .begin()
                .putInt(handle)
                .putLong(offset)
                .putLong(length)
                .put((byte) (access.allowsRemoteWrite() ? 1 : 0)));
    return CompletableFuture.completedStage(new Local(handle, key));
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory old) {
    int handle = ++lastHandle;
    byte[] key = call(Kind.REVOKE.begin().putInt(((Local) old).handle()).putInt(handle));
    return CompletableFuture.completedStage(new Local(handle, key));
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory old) {
    if (!closed) {
      call(Kind.DEREGISTER.begin().putInt(((Local) old).handle()));
    }
    return CompletableFuture.completedStage(null);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] to) {
    int handle = ++lastHandle;
    call(
        Kind.PEER
            .begin()
            .putInt(handle)
            .putLong(engine.high())
            .putLong(engine.low())
            .putInt(nic)
            .put(to));
    To peer = new To(handle, engine, losses.getOrDefault(engine, 0));
    peers.put(handle, peer);
    return peer;
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    int handle = ++lastHandle;
    call(Kind.MEMORY.begin().putInt(handle).putInt(((To) peer).handle).putLong(length).put(key));
    return new Remote(handle, (To) peer);
  }

  @Override
  public PostResult post(Operation op) {
    return !closed && requests.offer(described(op)) ? PostResult.TAKEN : PostResult.NIC_BUSY;
  }

  /** With the numbers of the rows behind the rest, if they are gathered. */
  private static ByteBuffer described(Operation op) {
    ByteBuffer request =
        Kind.POST
            .begin()
            .putInt(((Local) op.local()).handle())
            .putInt(((Remote) op.remote()).handle())
            .putInt(((Remote) op.remote()).to().losses)
            .putLong(op.token())
            .putLong(op.localOffset())
            .putLong(op.remoteOffset())
            .putLong(op.length())
            .putInt(op.rows())
            .putLong(op.localStride())
            .putLong(op.remoteStride())
            .put((byte) (op.hasImm() ? 1 : 0))
            .putInt(op.imm());
    if (op.isGathered()) {
      long stride = Math.max(1, op.localStride());
      for (int row = 0; row < op.rows(); row++) {
        request.putInt(Math.toIntExact((op.localOffset(row) - op.localOffset()) / stride));
      }
    }
    return request.flip();
  }

  @Override
  public void fromPeer(RemotePeer from, ByteBuffer message) {
    if (!closed) {
      call(Kind.FROM_PEER.begin().putInt(((To) from).handle).put(message.duplicate()));
    }
  }

  @Override
  public void release(RemotePeer peer) {
    if (!closed) {
      call(Kind.RELEASE.begin().putInt(((To) peer).handle));
      peers.remove(((To) peer).handle);
    }
  }

  @Override
  public void release(RemoteMemory memory) {
    if (!closed) {
      call(Kind.RELEASE_MEMORY.begin().putInt(((Remote) memory).handle()));
    }
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    CompletableFuture<Void> fence = new CompletableFuture<>();
    if (closed) {
      fence.complete(null);
    } else {
      fences.put(++lastFence, fence);
      call(
          Kind.DISCONNECT
              .begin()
              .putInt(((To) peer).handle)
              .putInt(lastFence)
              .put(Kind.text(reason)));
    }
    return fence;
  }

  @Override
  public int poll(CompletionSink sink) {
    int work = 0;
    while (work < BATCH || !early.isEmpty()) {
      ByteBuffer report = nextReport();
      if (report == null) {
        break;
      }
      work++;
      report(report, sink);
    }
    return work;
  }

  private @Nullable ByteBuffer nextReport() {
    ByteBuffer first = early.poll();
    return first != null || closed ? first : reports.poll();
  }

  private void report(ByteBuffer in, CompletionSink sink) {
    switch (Kind.of(in)) {
      case WRITTEN -> sink.written(in.getLong());
      case FAILED -> sink.failed(in.getLong(), in.getInt(), Kind.text(in));
      case WRITE_REFUSED -> sink.refused(in.getLong(), in.getInt(), Kind.text(in));
      case ARRIVED -> {
        int imm = in.getInt();
        long bytes = in.getLong();
        if (in.hasRemaining()) {
          sink.immArrived(new EngineId(in.getLong(), in.getLong()), imm, bytes);
        } else {
          sink.immArrived(imm, bytes);
        }
      }
      case TO_PEER -> {
        To to = peers.get(in.getInt());
        if (to != null) {
          sink.toPeer(to, in.slice());
        }
      }
      case FENCED -> Objects.requireNonNull(fences.remove(in.getInt())).complete(null);
      case LOST -> {
        EngineId lost = new EngineId(in.getLong(), in.getLong());
        int count = losses.merge(lost, 1, Integer::sum);
        peers.values().stream()
            .filter(to -> to.engine.equals(lost))
            .forEach(to -> to.losses = count);
        sink.peerLost(lost, in.getInt(), Kind.text(in));
      }
      case BROKEN -> sink.nicFailed(in.getInt(), Kind.text(in));
      default -> throw new IllegalStateException("not a report");
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    boolean answered = false;
    try {
      call(Kind.CLOSE.begin());
      answered = true;
    } finally {
      closed = true;
      early.clear();
      if (answered || !otherIsAlive.getAsBoolean()) { // or else it may still use the rings
        whenClosed.run();
      }
    }
  }
}
