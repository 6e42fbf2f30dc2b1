package io.reactivetransfer.ffm;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Memory;
import io.reactivetransfer.Nic;
import io.reactivetransfer.ffm.ffi.Poll;
import io.reactivetransfer.ffm.ffi.PollByLinker;
import io.reactivetransfer.ffm.ffi.PollFds;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Doorbell;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** One NIC that moves nothing, and has a file descriptor that shows when something has come. */
final class WaitableBackend implements Backend {

  private final Poll poll = new PollByLinker();
  final int descriptor = poll.eventfd(0, Poll.EFD_NONBLOCK | Poll.EFD_CLOEXEC);
  final AtomicLong polls = new AtomicLong();
  final AtomicLong found = new AtomicLong();

  /** What polls find, without a word of the descriptor. */
  final AtomicInteger hidden = new AtomicInteger();

  volatile Doorbell doorbell;

  /** Something comes; nobody rings. */
  void come() {
    poll.eventfd_write(descriptor, 1);
  }

  @Override
  public String name() {
    return "waitable";
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public List<Nic> nics() {
    return List.of(Nic.named("w0"));
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    return CompletableFuture.completedStage(new NobodyThere(context));
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    doorbell = context.doorbell();
    return CompletableFuture.completedStage(new Waitable());
  }

  /** A channel on which nothing is said. */
  private record NobodyThere(ControlContext context) implements ControlChannel {
    @Override
    public HostPort address() {
      return new HostPort("nowhere", 1);
    }

    @Override
    public int maxMessageBytes() {
      return context.maxMessageBytes();
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      return false;
    }

    @Override
    public void find(long token, HostPort at) {}

    @Override
    public void disconnect(EngineId peer, String reason) {}

    @Override
    public int poll(ControlSink sink) {
      return 0;
    }

    @Override
    public void close() {}
  }

  private final class Waitable implements Domain {
    private final int[] descriptors = {descriptor};
    private final PollFds own = new PollFds(descriptor);

    @Override
    public int[] waitDescriptors() {
      return descriptors;
    }

    @Override
    public boolean prepareWait() {
      return hidden.get() == 0;
    }

    @Override
    public int poll(CompletionSink sink) {
      polls.incrementAndGet();
      int news = poll.eventfd_read(own, 0) == 0 ? 1 : 0;
      news += hidden.getAndSet(0);
      found.addAndGet(news);
      return news;
    }

    @Override
    public Capabilities capabilities() {
      return Capabilities.builder(1 << 20, 16)
          .completion(CompletionLevel.DELIVERED)
          .fencesLostPeers(true)
          .build();
    }

    @Override
    public byte[] address() {
      return new byte[] {1};
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      return CompletableFuture.completedStage(() -> new byte[] {1});
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
      return CompletableFuture.completedStage(memory);
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory memory) {
      return CompletableFuture.completedStage(null);
    }

    @Override
    public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
      return new RemotePeer() {};
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      return new RemoteMemory() {};
    }

    @Override
    public PostResult post(Operation op) {
      return PostResult.NIC_BUSY;
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      return CompletableFuture.completedStage(null);
    }

    @Override
    public void close() {
      poll.close(descriptor);
    }
  }
}
