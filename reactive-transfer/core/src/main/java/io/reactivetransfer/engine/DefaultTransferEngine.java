package io.reactivetransfer.engine;

import io.reactivetransfer.Access;
import io.reactivetransfer.Change;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.Assembly;
import io.reactivetransfer.engine.base.Deadlines;
import io.reactivetransfer.engine.base.EngineFigures;
import io.reactivetransfer.engine.memory.ResolvedRegion;
import io.reactivetransfer.engine.origin.Results;
import io.reactivetransfer.engine.peers.BarrierGroup;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.PeerLink;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Checks what it is asked, builds publishers, and leaves the work to its {@link Parts}. */
final class DefaultTransferEngine implements TransferEngine {

  final Worker worker;
  final Parts parts;
  private final PeerAddress address;
  private final CompletionLevel completionLevel;
  private final boolean fencesLostPeers;
  private final NicScheduler scheduler;
  private final NicExecutor executor;
  private volatile boolean closed;

  DefaultTransferEngine(Worker worker, Parts parts) {
    this.worker = worker;
    this.parts = parts;
    this.address = parts.peers.ownAddress();
    this.scheduler = new NicScheduler(worker.commands(), worker.timers(), worker.defects());
    this.executor = new NicExecutor(worker.commands(), worker.defects());
    this.completionLevel = parts.nics.completionLevel();
    this.fencesLostPeers = parts.nics.fenceLostPeers();
  }

  @Override
  public EngineId id() {
    return worker.id();
  }

  @Override
  public PeerAddress address() {
    return address;
  }

  @Override
  public String backend() {
    return address.backend();
  }

  @Override
  public CompletionLevel completionLevel() {
    return completionLevel;
  }

  @Override
  public boolean fencesLostPeers() {
    return fencesLostPeers;
  }

  @Override
  public boolean canCount(PagedWrite.Rows rows) {
    return parts.posting.canCount(Objects.requireNonNull(rows, "rows"));
  }

  @Override
  public int maxGather() {
    return parts.posting.maxGather();
  }

  @Override
  public boolean canCount(GatherList list) {
    return parts.posting.canCount(Objects.requireNonNull(list, "list"));
  }

  @Override
  public List<Nic> nics() {
    return parts.nics.working();
  }

  @Override
  public EngineOptions options() {
    return worker.options();
  }

  @Override
  public Mono<MemoryRegion> register(Memory memory, Access access) {
    Objects.requireNonNull(memory, "memory");
    Objects.requireNonNull(access, "access");
    if (!access.isKnown()) {
      throw new IllegalArgumentException(
          "expected rights that this version can give, got access " + access);
    }
    if (memory.length() < 1) {
      throw new IllegalArgumentException("expected memory of 1 or more bytes, got none");
    }
    return ask(answer -> parts.regions.register(memory, access, answer));
  }

  private <T> Mono<T> ask(Consumer<Answer<T>> question) {
    return worker.commands().ask(question);
  }

  @Override
  public RemoteRegion remote(RegionDescriptor descriptor) {
    Objects.requireNonNull(descriptor, "descriptor");
    if (!descriptor.access().allowsRemoteWrite()) {
      throw new TransferRejectedException(
          "expected a descriptor that allows remote writes, got access " + descriptor.access(),
          Origin.peer(descriptor.owner().engine()),
          null);
    }
    return new ResolvedRegion(parts.peers.of(descriptor.owner()), descriptor);
  }

  @Override
  public Peer peer(PeerAddress address) {
    return parts.peers.named(Objects.requireNonNull(address, "address"));
  }

  @Override
  public Mono<Peer> peer(HostPort at) {
    Objects.requireNonNull(at, "at");
    return ask(answer -> parts.control.find(at, answer));
  }

  @Override
  public <T extends Transfer> Mono<T> submit(T transfer) {
    return submitOne(transfer, defaultDeadlineNanos());
  }

  @Override
  public <T extends Transfer> Mono<T> submit(T transfer, Duration deadline) {
    return submitOne(transfer, Deadlines.nanos(deadline));
  }

  private <T extends Transfer> Mono<T> submitOne(T transfer, long deadlineNanos) {
    parts.ownership.check(Objects.requireNonNull(transfer, "transfer"));
    Mono<T> one = Mono.just(transfer);
    return Mono.fromDirect(parts.streams.of(one, new Results.Done<>(), 1, deadlineNanos));
  }

  @Override
  public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
    return submitAll(transfers, new Results.Done<>(), defaultDeadlineNanos());
  }

  @Override
  public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers, Duration deadline) {
    return submitAll(transfers, new Results.Done<>(), Deadlines.nanos(deadline));
  }

  @Override
  public <T extends Transfer> Flux<Outcome<T>> submitEach(Publisher<? extends T> transfers) {
    return submitAll(transfers, new Results.Each<>(), defaultDeadlineNanos());
  }

  private <T extends Transfer, R> Flux<R> submitAll(
      Publisher<? extends T> transfers, Results<T, R> results, long deadlineNanos) {
    Objects.requireNonNull(transfers, "transfers");
    int window = worker.options().window();
    return Assembly.of(parts.streams.of(transfers, results, window, deadlineNanos));
  }

  private long defaultDeadlineNanos() {
    return worker.options().transferDeadline().toNanos();
  }

  @Override
  public ImmCounter counter(Imm imm) {
    Objects.requireNonNull(imm, "imm");
    return parts.claims.counter(imm);
  }

  @Override
  public ImmLease lease(int size) {
    return parts.leases.lease(size);
  }

  @Override
  public Mono<Void> send(Peer peer, MessageChannel channel, ByteBuffer message) {
    Objects.requireNonNull(channel, "channel");
    Objects.requireNonNull(message, "message");
    PeerLink link = parts.peers.own(Objects.requireNonNull(peer, "peer"));
    requireFits(link, message);
    return Mono.defer(() -> {
      requireFits(link, message); // the buffer is the caller's, and may have changed
      ByteBuffer frames = ControlFrame.message(channel.number(), message);
      return ask(answer -> parts.outgoing.send(link, channel, frames, answer));
    });
  }

  private void requireFits(PeerLink link, ByteBuffer message) {
    int max = worker.options().maxMessageBytes();
    if (message.remaining() > max) {
      throw new TransferRejectedException(
          "expected a message of at most "
              + max
              + " bytes (maxMessageBytes of the EngineOptions), got "
              + message.remaining(),
          Origin.peer(link.id()),
          null);
    }
  }

  @Override
  public Flux<Message> messages(MessageChannel channel) {
    return Assembly.of(parts.incoming.inbox(Objects.requireNonNull(channel, "channel")));
  }

  @Override
  public Mono<Void> barrier(String name, PeerGroup group) {
    Objects.requireNonNull(name, "name");
    BarrierGroup members =
        BarrierGroup.of(parts.peers, name, Objects.requireNonNull(group, "group"));
    return ask(answer -> parts.barriers.enter(members, answer));
  }

  @Override
  public Flux<Change> watch(Memory word) {
    return Assembly.of(parts.watches.of(Objects.requireNonNull(word, "word")));
  }

  @Override
  public Scheduler scheduler() {
    return scheduler;
  }

  @Override
  public Executor executor() {
    return executor;
  }

  @Override
  public EngineStats stats() {
    return EngineFigures.of(
        worker.counters(), parts.nics, parts.leases.open(), worker.defects().count());
  }

  @Override
  public List<Peer> peers() {
    return parts.peers.all();
  }

  @Override
  public boolean isClosed() {
    return closed || worker.commands().haveEnded();
  }

  @Override
  public Mono<Void> onClose() {
    return ask(worker.shutdown()::watch);
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(() -> {
      closed = true;
      return ask(worker.shutdown()::begin);
    });
  }

  @Override
  public String toString() {
    return "engine " + address;
  }
}
