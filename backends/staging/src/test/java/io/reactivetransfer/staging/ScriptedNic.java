package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
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
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A NIC for memory of the host, whose writes come when a test says so: in any order, changed on
 * their way, or never.
 */
final class ScriptedNic implements Domain {

  private static final Map<Long, ScriptedNic> BY_ADDRESS = new ConcurrentHashMap<>();
  private static final AtomicLong LAST_ADDRESS = new AtomicLong();

  private record Registered(MemorySegment bytes, long number) implements LocalMemory {
    @Override
    public byte[] key() {
      return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }
  }

  private record Peer(EngineId engine, long address) implements RemotePeer {}

  private record Target(Peer peer, long number) implements RemoteMemory {}

  /** A write that is on its way. */
  final class OnWay {
    final Operation op;
    private final byte[] bytes;

    OnWay(Operation op) {
      this.op = op;
      MemorySegment from = ((Registered) op.local()).bytes();
      this.bytes = from.asSlice(op.localOffset(), op.length()).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Changes what it carries. */
    OnWay tampered(Consumer<ByteBuffer> change) {
      change.accept(ByteBuffer.wrap(bytes));
      return this;
    }

    /** It comes now. */
    void come() {
      onWay.remove(this);
      Target target = (Target) op.remote();
      ScriptedNic there = BY_ADDRESS.get(target.peer().address());
      Registered room = there == null ? null : there.open.get(target.number());
      if (room == null) {
        fail();
        return;
      }
      MemorySegment.copy(
          MemorySegment.ofArray(bytes), 0, room.bytes(), op.remoteOffset(), bytes.length);
      if (op.hasImm()) {
        there.reports.add(sink -> sink.immArrived(op.imm(), op.length()));
      }
      reports.add(sink -> sink.written(op.token()));
    }

    /** It does not come. */
    void fail() {
      onWay.remove(this);
      reports.add(sink -> sink.failed(op.token(), 5, "it was lost on its way"));
    }
  }

  private final long address;
  private final CompletionLevel completion;
  private final Map<Long, Registered> open = new HashMap<>();
  private final List<Consumer<CompletionSink>> reports = new ArrayList<>();
  final List<OnWay> onWay = new ArrayList<>();
  final List<DeviceMemory> registeredOfDevices = new ArrayList<>();
  final List<RemotePeer> released = new ArrayList<>();
  private final Map<EngineId, Peer> peers = new HashMap<>();
  private long lastNumber;
  private Set<Device> reached = Set.of(Device.HOST);
  int refusals;

  /** It lets go of nothing. */
  boolean keepsAll;

  /** It registers when {@link #registerAll()} is called. */
  boolean isSlowToRegister;

  private final List<Runnable> registering = new ArrayList<>();
  boolean refusesDevices;
  boolean isBusy;

  /** What is longer fails. */
  long maxWriteBytes = 16 << 20;

  boolean tellsOfDisconnects;
  final Set<EngineId> busyPeers = new HashSet<>();
  boolean isClosed;

  /** What it throws when it is closed, for which nobody is prepared. */
  @Nullable Throwable closing;

  ScriptedNic(CompletionLevel completion) {
    this.completion = completion;
    this.address = LAST_ADDRESS.incrementAndGet();
    BY_ADDRESS.put(address, this);
  }

  /** It reads and writes this one, too. */
  ScriptedNic reaching(Device device) {
    reached = Set.of(Device.HOST, device);
    return this;
  }

  @Override
  public Capabilities capabilities() {
    return Capabilities.builder(maxWriteBytes, 256)
        .completion(completion)
        .maxRows(4)
        .devices(reached)
        .build();
  }

  @Override
  public byte[] address() {
    return ByteBuffer.allocate(Long.BYTES).putLong(address).array();
  }

  /** How many memories it has. */
  int registered() {
    return open.size();
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    if (refusals > 0) {
      refusals--;
      throw new BackendException(12, "no memory may be locked");
    }
    MemorySegment bytes =
        switch (memory) {
          case HostMemory host -> host.segment();
          case DeviceMemory device -> {
            if (refusesDevices) {
              throw new BackendException(14, "bad address");
            }
            registeredOfDevices.add(device);
            yield MemorySegment.NULL; // what it reads and writes there is no matter of these tests
          }
        };
    Registered added = new Registered(bytes, ++lastNumber);
    open.put(added.number(), added);
    CompletableFuture<LocalMemory> registration = new CompletableFuture<>();
    registering.add(() -> registration.complete(added));
    if (!isSlowToRegister) {
      registerAll();
    }
    return registration;
  }

  /** What is being registered is. */
  void registerAll() {
    List<Runnable> due = List.copyOf(registering);
    registering.clear();
    due.forEach(Runnable::run);
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    Registered old = (Registered) memory;
    open.remove(old.number());
    return register(new HostMemory(old.bytes()), Access.REMOTE_WRITE);
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    if (keepsAll) {
      return CompletableFuture.failedStage(new BackendException(16, "it is busy"));
    }
    open.remove(((Registered) memory).number());
    return CompletableFuture.completedStage(null);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] at) {
    Peer peer = new Peer(engine, number(at));
    peers.put(engine, peer);
    return peer;
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    return new Target((Peer) peer, number(key));
  }

  private static long number(byte[] bytes) {
    if (bytes.length != Long.BYTES) {
      throw new BackendException(0, "expected 8 bytes, got " + bytes.length);
    }
    return ByteBuffer.wrap(bytes).getLong();
  }

  @Override
  public void release(RemotePeer peer) {
    released.add(peer);
  }

  @Override
  public PostResult post(Operation op) {
    if (isBusy) {
      return PostResult.NIC_BUSY;
    }
    if (busyPeers.contains(((Target) op.remote()).peer().engine())) {
      return PostResult.PEER_BUSY;
    }
    OnWay posted = new OnWay(op.copy());
    onWay.add(posted);
    if (op.length() > maxWriteBytes) {
      posted.fail();
    }
    return PostResult.TAKEN;
  }

  /** An immediate that nobody has written anything with. */
  void hear(int imm) {
    reports.add(sink -> sink.immArrived(imm, 0));
  }

  /** It says this many bytes to the NIC of a peer. */
  void say(EngineId engine, int bytes) {
    Peer peer = peers.get(engine);
    reports.add(sink -> sink.toPeer(peer, ByteBuffer.allocate(bytes)));
  }

  /** The way to a peer is lost. */
  void lose(EngineId engine) {
    reports.add(sink -> sink.peerLost(engine, 7, "the way is gone"));
    endAll(engine);
  }

  /** It does nothing more. */
  void fail(String text) {
    reports.add(sink -> sink.nicFailed(9, text));
    List.copyOf(onWay).forEach(OnWay::fail);
  }

  private void endAll(EngineId engine) {
    List.copyOf(onWay).stream()
        .filter(each -> ((Target) each.op.remote()).peer().engine().equals(engine))
        .forEach(OnWay::fail);
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    EngineId engine = ((Peer) peer).engine();
    endAll(engine);
    if (tellsOfDisconnects) {
      reports.add(sink -> sink.peerLost(engine, 8, "it was given up"));
    }
    return CompletableFuture.completedStage(null);
  }

  @Override
  public int poll(CompletionSink sink) {
    List<Consumer<CompletionSink>> due = List.copyOf(reports);
    reports.clear();
    due.forEach(report -> report.accept(sink));
    return due.size();
  }

  @Override
  public void close() {
    isClosed = true;
    BY_ADDRESS.remove(address);
    switch (closing) {
      case RuntimeException surprise -> throw surprise;
      case Error surprise -> throw surprise;
      case null, default -> {}
    }
  }
}
