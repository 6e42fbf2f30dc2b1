package io.reactivetransfer.ibverbs;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.ffm.Accelerators;
import io.reactivetransfer.ibverbs.ffi.Handles;
import io.reactivetransfer.ibverbs.ffi.Verbs;
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
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/** One opened NIC: a port of a device. */
final class VerbsDomain implements Domain {

  /** Longer writes are cut, so that several NICs share them and none holds a queue for long. */
  private static final long MAX_WRITE_BYTES = 1L << 20;

  private final Port port;
  private final Arena arena;
  private final OpenDevice device;
  private final Tasks tasks;
  private final Regions regions;
  private final QueuePairs queuePairs;
  private final Writes writes;
  private final CompletionReader reader;
  private final Connections connections;
  private final DeviceEvents events;
  private final Capabilities capabilities;
  private final int[] descriptors;
  private final BrokenNic broken;
  private boolean isNotified;
  private boolean closed;

  private VerbsDomain(
      OpenDevice device,
      Port port,
      VerbsSettings settings,
      RandomGenerator random,
      OpenContext context,
      long mostShuttingNanos,
      Arena arena) {
    this.port = port;
    this.arena = arena;
    this.device = device;
    long maxBytes = Math.clamp(port.maxMessageBytes(), 1, MAX_WRITE_BYTES);
    tasks = new Tasks(context.doorbell());
    queuePairs = new QueuePairs(device, port, settings, random);
    writes = new Writes(device, arena, maxBytes);
    Accelerators accelerators = new Accelerators(context.devices());
    reader = new CompletionReader(device, port, writes, accelerators, arena);
    regions = new Regions(device, accelerators, tasks, random, reader);
    connections =
        new Connections(queuePairs, tasks, writes, reader, context.connectTimeout().toNanos());
    events = new DeviceEvents(device, port, tasks, reader, connections);
    broken = new BrokenNic(device, reader, connections, mostShuttingNanos);
    capabilities =
        Capabilities.builder(maxBytes, device.depth())
            .completion(CompletionLevel.DELIVERED)
            .fencesLostPeers(true)
            .devices(context.devices().openToNicsAndHost())
            .build();
    descriptors = new int[] {device.channelDescriptor(), device.asyncDescriptor()};
  }

  /** Opens a NIC. On any thread; what comes back is used by one thread at a time. */
  @SuppressWarnings("MustBeClosed") // the domain closes it
  static VerbsDomain open(
      Verbs verbs, Port port, VerbsSettings settings, RandomGenerator random, OpenContext context) {
    return open(verbs, port, settings, random, context, BrokenNic.MOST_SHUTTING_NANOS);
  }

  /** The same, where a NIC that can do nothing any more may take so long to be shut. */
  @SuppressWarnings("MustBeClosed") // the domain closes it
  static VerbsDomain open(
      Verbs verbs,
      Port port,
      VerbsSettings settings,
      RandomGenerator random,
      OpenContext context,
      long mostShuttingNanos) {
    Arena arena = Arena.ofShared();
    OpenDevice device;
    try {
      device =
          VerbsLibrary.guarded(
              () -> new OpenDevice(verbs, port.device(), context.nicDepth(), arena));
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
    try {
      return new VerbsDomain(device, port, settings, random, context, mostShuttingNanos, arena);
    } catch (BackendException e) {
      Closing.after(e, device::close, arena::close);
      throw e;
    }
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public byte[] address() {
    return port.address().encode();
  }

  private void requireOpen() {
    if (closed) {
      throw new BackendException(0, "the NIC is closed");
    }
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    requireOpen();
    return regions.register(memory, access).thenApply(registered -> registered);
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    requireOpen();
    return regions.revoke((VerbsMemory) memory).thenApply(renamed -> renamed);
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    return closed
        ? CompletableFuture.completedStage(null)
        : regions.deregister((VerbsMemory) memory);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    VerbsAddress decoded = VerbsAddress.decode(address);
    if (decoded.linkLayer() != port.address().linkLayer()) {
      throw new BackendException(
          0,
          "expected a NIC on the same kind of network as "
              + port.name()
              + ", got "
              + decoded
              + ": RoCE and InfiniBand do not reach each other");
    }
    return connections.resolve(engine, decoded);
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    VerbsMemory.Key decoded = VerbsMemory.Key.decode(key);
    return new RemoteVerbsMemory((VerbsPeer) peer, decoded.address(), decoded.rkey());
  }

  @Override
  public PostResult post(Operation op) {
    if (closed || broken.isBeingShut()) {
      return PostResult.NIC_BUSY;
    }
    RemoteVerbsMemory to = (RemoteVerbsMemory) op.remote();
    Connection connection = to.peer().ready();
    if (connection == null) {
      connections.outgoing().connect(to.peer());
      return PostResult.PEER_BUSY;
    }
    return writes.post(op, to, connection);
  }

  @Override
  public void flush() {
    if (!closed) {
      writes.flush(connections.outgoing());
    }
  }

  @Override
  public void fromPeer(RemotePeer from, ByteBuffer message) {
    if (!closed) {
      connections.heard((VerbsPeer) from, message);
    }
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    return closed
        ? CompletableFuture.completedStage(null)
        : connections.disconnect((VerbsPeer) peer, reason);
  }

  @Override
  public void release(RemotePeer peer) {
    if (!closed) {
      connections.release((VerbsPeer) peer);
    }
  }

  @Override
  public int poll(CompletionSink sink) {
    if (closed) {
      return 0;
    }
    long now = System.nanoTime();
    regions.closeFreed(now);
    int work = tasks.areDue(now) ? tasks.takeIn(now) : 0;
    work += events.look(now);
    work += connections.settle(sink, now);
    work += broken.settle(sink, now); // before the failures of writes
    work += reader.poll(sink, connections.outgoing());
    work += broken.settle(sink, now);
    work += connections.drain(sink);
    writes.flush(connections.outgoing()); // what is posted again
    return work + connections.speak(sink);
  }

  /** Those of a device that is gone are readable for ever. */
  @Override
  public int[] waitDescriptors() {
    return closed || broken.hasBegun() ? MUST_BE_POLLED : descriptors;
  }

  @Override
  public boolean prepareWait() {
    long now = System.nanoTime();
    if (closed
        || broken.isBeingShut()
        || tasks.areDue(now)
        || connections.areDue(now)
        || writes.areDue()) {
      return false;
    }
    while (Handles.takeCqEvent(device.verbs, device.channel()) == 0) {
      isNotified = false;
    }
    if (isNotified) {
      return true;
    }
    VerbsLibrary.require("ibv_req_notify_cq", device.verbs.ibv_req_notify_cq(device.cq()));
    isNotified = true;
    return false; // something may have come before
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    events.lookWhetherItIsGone(); // for the tasks that run
    tasks.close();
    events.lookWhetherItIsGone();
    // If that fails the arena stays: what is open may use what is in it.
    Closing.all(queuePairs::close, regions::close);
    device.close();
    arena.close();
  }

  @Override
  public String toString() {
    return "VerbsDomain[" + List.of(port.name(), port.address()) + "]";
  }
}
