package io.reactivetransfer.tck;

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
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** An engine that does what another one does; the base of what changes one thing. */
class ForwardingEngine implements TransferEngine {

  final TransferEngine inner;

  ForwardingEngine(TransferEngine inner) {
    this.inner = inner;
  }

  @Override
  public EngineId id() {
    return inner.id();
  }

  @Override
  public PeerAddress address() {
    return inner.address();
  }

  @Override
  public String backend() {
    return inner.backend();
  }

  @Override
  public CompletionLevel completionLevel() {
    return inner.completionLevel();
  }

  @Override
  public boolean fencesLostPeers() {
    return inner.fencesLostPeers();
  }

  @Override
  public boolean canCount(GatherList list) {
    return inner.canCount(list);
  }

  @Override
  public int maxGather() {
    return inner.maxGather();
  }

  @Override
  public boolean canCount(PagedWrite.Rows rows) {
    return inner.canCount(rows);
  }

  @Override
  public List<Nic> nics() {
    return inner.nics();
  }

  @Override
  public EngineOptions options() {
    return inner.options();
  }

  @Override
  public Mono<MemoryRegion> register(Memory memory, Access access) {
    return inner.register(memory, access);
  }

  @Override
  public RemoteRegion remote(RegionDescriptor descriptor) {
    return inner.remote(descriptor);
  }

  @Override
  public Mono<Peer> peer(HostPort at) {
    return inner.peer(at);
  }

  @Override
  public Peer peer(PeerAddress address) {
    return inner.peer(address);
  }

  @Override
  public <T extends Transfer> Mono<T> submit(T transfer) {
    return inner.submit(transfer);
  }

  @Override
  public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
    return inner.submit(transfers);
  }

  @Override
  public <T extends Transfer> Mono<T> submit(T transfer, Duration deadline) {
    return inner.submit(transfer, deadline);
  }

  @Override
  public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers, Duration deadline) {
    return inner.submit(transfers, deadline);
  }

  @Override
  public <T extends Transfer> Flux<Outcome<T>> submitEach(Publisher<? extends T> transfers) {
    return inner.submitEach(transfers);
  }

  @Override
  public Mono<Void> barrier(String name, PeerGroup group) {
    return inner.barrier(name, group);
  }

  @Override
  public Flux<Change> watch(Memory word) {
    return inner.watch(word);
  }

  @Override
  public ImmCounter counter(Imm imm) {
    return inner.counter(imm);
  }

  @Override
  public ImmLease lease(int size) {
    return inner.lease(size);
  }

  @Override
  public Mono<Void> send(Peer peer, ByteBuffer message) {
    return inner.send(peer, message);
  }

  @Override
  public Mono<Void> send(Peer peer, MessageChannel channel, ByteBuffer message) {
    return inner.send(peer, channel, message);
  }

  @Override
  public Flux<Message> messages() {
    return inner.messages();
  }

  @Override
  public Flux<Message> messages(MessageChannel channel) {
    return inner.messages(channel);
  }

  @Override
  public Scheduler scheduler() {
    return inner.scheduler();
  }

  @Override
  public Executor executor() {
    return inner.executor();
  }

  @Override
  public EngineStats stats() {
    return inner.stats();
  }

  @Override
  public List<Peer> peers() {
    return inner.peers();
  }

  @Override
  public boolean isClosed() {
    return inner.isClosed();
  }

  @Override
  public Mono<Void> onClose() {
    return inner.onClose();
  }

  @Override
  public Mono<Void> close() {
    return inner.close();
  }
}
