package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A NIC for memory of the host whose writes come at once, and which allocates nothing for them.
 * What is not needed to go on, most of their bytes, it leaves where it is.
 */
final class QuietNic implements Domain {

  /** More than are ever out between two turns. */
  private static final int MOST = 64;

  /** The first ones of a write: among them is what a piece has in front of it. */
  private static final int MOST_COPIED = 256;

  /** All of them, by address. */
  private static final List<QuietNic> ALL = new ArrayList<>();

  /** No record: to ask for the hash of a segment allocates. */
  private static final class Registered implements LocalMemory {
    private final MemorySegment bytes;
    private final int number;

    Registered(MemorySegment bytes, int number) {
      this.bytes = bytes;
      this.number = number;
    }

    @Override
    public byte[] key() {
      return bytesOf(number);
    }
  }

  private record Peer(QuietNic nic) implements RemotePeer {}

  private record Target(QuietNic nic, MemorySegment bytes) implements RemoteMemory {}

  private final List<Registered> registered = new ArrayList<>();
  private final int address;
  private final long[] tokens = new long[MOST];
  private final int[] imms = new int[MOST];
  private final long[] lengths = new long[MOST];
  private int written;
  private int arrived;

  QuietNic() {
    address = ALL.size();
    ALL.add(this);
  }

  private static byte[] bytesOf(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  @Override
  public Capabilities capabilities() {
    return Capabilities.builder(1 << 20, MOST).completion(CompletionLevel.DELIVERED).build();
  }

  @Override
  public byte[] address() {
    return bytesOf(address);
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    Registered added = new Registered(((HostMemory) memory).segment(), registered.size());
    registered.add(added);
    return CompletableFuture.completedStage(added);
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    return CompletableFuture.completedStage(null);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] at) {
    return new Peer(ALL.get(ByteBuffer.wrap(at).getInt()));
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    QuietNic nic = ((Peer) peer).nic();
    return new Target(nic, nic.registered.get(ByteBuffer.wrap(key).getInt()).bytes);
  }

  @Override
  public PostResult post(Operation op) {
    Target target = (Target) op.remote();
    MemorySegment from = ((Registered) op.local()).bytes;
    long copied = Math.min(MOST_COPIED, op.length());
    MemorySegment.copy(from, op.localOffset(), target.bytes(), op.remoteOffset(), copied);
    tokens[written++] = op.token();
    if (op.hasImm()) {
      target.nic().imms[target.nic().arrived] = op.imm();
      target.nic().lengths[target.nic().arrived++] = op.length();
    }
    return PostResult.TAKEN;
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    return CompletableFuture.completedStage(null);
  }

  /** What is told here leads to no post before it returns. */
  @Override
  public int poll(CompletionSink sink) {
    int told = written + arrived;
    for (int i = 0; i < arrived; i++) {
      sink.immArrived(imms[i], lengths[i]);
    }
    for (int i = 0; i < written; i++) {
      sink.written(tokens[i]);
    }
    arrived = 0;
    written = 0;
    return told;
  }

  @Override
  public void close() {}
}
