package com.example.mynic;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.MemoryFaults;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/** One NIC: each of its polls copies some of what was posted to it into memory of the targets. */
final class MyDomain implements Domain {

  private static final int DEPTH = 128;
  private static final int BYTES_PER_POLL = 1 << 20;
  private static final int KEY_BYTES = 16;

  /** All open NICs: it stands for the network, and for what a target's card does by itself. */
  private static final Map<MyPeer, MyDomain> NETWORK = new ConcurrentHashMap<>();

  private record MyPeer(EngineId engine, int nic) implements RemotePeer {}

  private record MyRemoteMemory(MyPeer peer, ByteBuffer name) implements RemoteMemory {}

  private record MyMemory(MemorySegment segment, Access access, byte[] key)
      implements LocalMemory {}

  private record Arrival(EngineId origin, int imm, long bytes) {}

  /** What was taken over. A copy: the engine fills its object again. */
  private static final class MyWrite {
    private final Operation op;
    private final MyRemoteMemory target;
    private long copied;
    private boolean told;
    private String givenUp = "";

    MyWrite(Operation posted) {
      op = posted.copy();
      target = (MyRemoteMemory) posted.remote();
    }
  }

  private final OpenContext context;
  private final SecureRandom random;
  private final MyPeer self;
  private final Queue<MyWrite> writes = new ArrayDeque<>();

  // What NICs of other engines use, on their threads: the memory that is open to them, by key, and
  // what they tell this one, which is bounded.
  private final Map<ByteBuffer, MyMemory> open = new ConcurrentHashMap<>();
  private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
  private final Semaphore roomForArrivals = new Semaphore(1_024);

  MyDomain(OpenContext context, SecureRandom random) {
    this.context = context;
    this.random = random;
    self = new MyPeer(context.engine(), context.nicIndex());
    NETWORK.put(self, this);
  }

  @Override
  public Capabilities capabilities() {
    return Capabilities.builder(1L << 30, DEPTH).completion(CompletionLevel.DELIVERED).build();
  }

  @Override
  public byte[] address() {
    return new byte[] {(byte) self.nic()};
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    if (address.length != 1) {
      throw new BackendException(0, "expected an address of 1 byte, got " + address.length);
    }
    return new MyPeer(engine, address[0]);
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    if (key.length != KEY_BYTES) {
      throw new BackendException(0, "expected a key of 16 bytes, got " + key.length);
    }
    return new MyRemoteMemory((MyPeer) peer, ByteBuffer.wrap(key.clone()));
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    if (!(memory instanceof HostMemory(MemorySegment segment))) {
      throw new BackendException(0, "expected memory of the host, got " + memory);
    }
    byte[] key = new byte[KEY_BYTES];
    random.nextBytes(key);
    MyMemory registered = new MyMemory(segment, access, key);
    if (access.allowsRemoteWrite()) {
      open.put(ByteBuffer.wrap(key), registered);
    }
    return CompletableFuture.completedStage(registered);
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    MyMemory old = (MyMemory) memory;
    deregister(old);
    return register(new HostMemory(old.segment()), old.access());
  }

  /** Returns when a copy into this memory that had begun is over: see {@link #advance}. */
  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    open.remove(ByteBuffer.wrap(((MyMemory) memory).key()));
    return CompletableFuture.completedStage(null);
  }

  @Override
  public PostResult post(Operation op) {
    if (writes.size() == DEPTH) {
      return PostResult.NIC_BUSY; // no doorbell is needed: this NIC is polled all the time
    }
    writes.add(new MyWrite(op));
    return PostResult.TAKEN;
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    outTo(peer).forEach(write -> write.givenUp = "given up: " + reason);
    return CompletableFuture.completedStage(null); // others' writes cannot be kept out here
  }

  private List<MyWrite> outTo(RemotePeer peer) {
    return writes.stream().filter(write -> write.target.peer().equals(peer)).toList();
  }

  @Override
  public int poll(CompletionSink sink) {
    int found = 0;
    for (int left = arrivals.size(); left > 0; left--) {
      Arrival arrival = arrivals.remove();
      roomForArrivals.release();
      sink.immArrived(arrival.origin(), arrival.imm(), arrival.bytes());
      found++;
    }
    long bytes = BYTES_PER_POLL;
    for (int left = writes.size(); left > 0 && bytes > 0 && !writes.isEmpty(); left--) {
      MyWrite write = writes.remove();
      long before = write.copied;
      boolean over = advance(write, bytes, sink);
      bytes -= write.copied - before;
      found += over || write.copied > before ? 1 : 0;
      if (!over) {
        writes.add(write); // behind the others: one peer that takes nothing holds up nobody
      }
    }
    return found;
  }

  /** Does some of a write, and says whether it was reported. */
  private boolean advance(MyWrite write, long most, CompletionSink sink) {
    MyDomain target = NETWORK.get(write.target.peer());
    if (target == null) {
      lose(write, sink);
      return true;
    }
    String refusal = write.givenUp;
    if (refusal.isEmpty()) {
      try {
        // The map lets nobody remove what is looked at here, so no key ends within a copy, or
        // between the last byte and the immediate.
        MyMemory found =
            target.open.computeIfPresent(
                write.target.name(), (_, to) -> serve(write, to, most, target));
        refusal = found == null ? "no memory has this key: it was closed or revoked" : "";
      } catch (RuntimeException | InternalError e) { // out of bounds, freed, a file that was cut
        refusal = "could not copy: " + e.getMessage();
      }
    }
    if (!refusal.isEmpty()) {
      sink.refused(write.op.token(), 0, refusal);
      return true;
    }
    if (!write.told) {
      return false;
    }
    sink.written(write.op.token());
    return true;
  }

  private MyMemory serve(MyWrite write, MyMemory to, long most, MyDomain target) {
    copy(write, to, most);
    write.told = write.copied == write.op.length() && target.tell(self.engine(), write.op);
    return to;
  }

  private static void copy(MyWrite write, MyMemory to, long most) {
    Operation op = write.op;
    to.segment().asSlice(op.remoteOffset(), op.length()); // the target's check of its bounds
    MemorySegment from = ((MyMemory) op.local()).segment();
    long bytes = Math.min(most, op.length() - write.copied);
    long at = write.copied;
    MemorySegment.copy(from, op.localOffset() + at, to.segment(), op.remoteOffset() + at, bytes);
    MemoryFaults.report((int) bytes);
    write.copied += bytes;
  }

  /** Takes the immediate of a write that has come; false if there is no room now. */
  private boolean tell(EngineId origin, Operation op) {
    if (op.hasImm() && !roomForArrivals.tryAcquire()) {
      return false;
    }
    if (op.hasImm()) {
      arrivals.add(new Arrival(origin, op.imm(), op.length()));
      context.doorbell().ring();
    }
    return true;
  }

  /** The loss is told before the end of each write that it ends. */
  private void lose(MyWrite first, CompletionSink sink) {
    MyPeer peer = first.target.peer();
    List<MyWrite> others = outTo(peer);
    writes.removeAll(others);
    String text = "nobody is at NIC " + peer.nic() + " of engine " + peer.engine().toShortString();
    sink.peerLost(peer.engine(), 0, text);
    sink.refused(first.op.token(), 0, text);
    others.forEach(write -> sink.refused(write.op.token(), 0, text));
  }

  @Override
  public void close() {
    NETWORK.remove(self);
    writes.clear();
    open.keySet().forEach(open::remove);
  }
}
