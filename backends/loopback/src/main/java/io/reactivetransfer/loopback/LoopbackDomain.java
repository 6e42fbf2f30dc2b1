package io.reactivetransfer.loopback;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
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
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One NIC within the JVM: its port, its memory, and its two sides. */
final class LoopbackDomain implements Domain {

  /** Each takes some time of its own, however short it is. */
  private static final int MAX_ROWS = 4_096;

  private final LoopbackNetwork network;
  private final Port port;
  private final MemoryTable memory;
  private final Inbound inbound;
  private final Outbound outbound;
  private final Capabilities capabilities;

  LoopbackDomain(LoopbackSettings settings, OpenContext context) {
    network = settings.network();
    LoopbackAddress address =
        new LoopbackAddress(network.id(), context.engine(), context.nicIndex());
    int depth = Math.min(settings.queueDepth(), context.nicDepth());
    port = new Port(address, context.doorbell(), depth);
    memory = new MemoryTable(network, context.devices());
    inbound =
        new Inbound(
            port, memory, settings.maxCopyBytesPerPoll(), seedOf(settings, context.nicIndex()));
    outbound = new Outbound(network, port, depth, settings.maxWriteBytes());
    capabilities =
        Capabilities.builder(settings.maxWriteBytes(), depth)
            .completion(CompletionLevel.DELIVERED)
            .devices(context.devices().andHost())
            .fencesLostPeers(true)
            .maxRows(MAX_ROWS)
            .maxGather(MAX_ROWS)
            .build();
    network.attach(port);
  }

  /** Each NIC reorders in its own way, which depends on nothing but the seed and its place. */
  private static OptionalLong seedOf(LoopbackSettings settings, int nicIndex) {
    OptionalLong seed = settings.reorderSeed();
    return seed.isPresent() ? OptionalLong.of(seed.getAsLong() + nicIndex) : seed;
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public byte[] address() {
    return port.address().toBytes();
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory what, Access access) {
    return CompletableFuture.completedStage(memory.register(what, access));
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory registered) {
    try {
      return CompletableFuture.completedStage(memory.rename((LoopbackMemory) registered));
    } catch (BackendException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory registered) {
    try {
      memory.remove((LoopbackMemory) registered);
      return CompletableFuture.completedStage(null);
    } catch (BackendException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    return new LoopbackPeer(engine, LoopbackAddress.fromBytes(address));
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    return new LoopbackTarget((LoopbackPeer) peer, LoopbackKey.fromBytes(key));
  }

  @Override
  public PostResult post(Operation op) {
    return port.isClosed() ? PostResult.NIC_BUSY : outbound.post(op);
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    LoopbackPeer lost = (LoopbackPeer) peer;
    outbound.disconnect(lost, reason);
    inbound.shutOut(lost.address());
    return CompletableFuture.completedStage(null);
  }

  @Override
  public int poll(CompletionSink sink) {
    if (port.isClosed()) {
      return 0;
    }
    // Counted before the queues are emptied: what a lost peer did comes before its loss.
    int closedPorts = port.lostCount();
    int work = inbound.serve(sink);
    work += outbound.complete(sink);
    work += outbound.loseLinks(sink, closedPorts);
    if (inbound.hasWork() || outbound.hasLosses() || port.hasWork()) {
      port.ring();
    }
    return work;
  }

  @Override
  public void close() {
    network.detach(port);
    outbound.abandonAll();
    port.close();
    memory.clear();
  }
}
