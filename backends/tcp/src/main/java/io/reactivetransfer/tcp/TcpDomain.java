package io.reactivetransfer.tcp;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.control.socket.Admission;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Doorbell;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One NIC: what is registered with it, its connections, and what happened on them since the last
 * poll. Everything happens on the event loop, between two of the worker's turns or within one.
 */
final class TcpDomain implements Domain {

  private static final int MAX_EVENTS_PER_POLL = 256;

  /**
   * Longer writes are cut by the engine: so their acknowledgements come often enough to be signs of
   * life, even over a slow network.
   */
  private static final long MAX_PIECE_BYTES = 16L << 20;

  /** What is encrypted at once, in buffers, and while nothing else happens on the loop. */
  private static final long MAX_ENCRYPTED_PIECE_BYTES = 1L << 20;

  private final TcpLoop loop;
  private final OpenContext context;
  private final Capabilities capabilities;
  private final EventQueue events;
  private final Staging staging;
  private final Registrations registrations;
  private final Map<Path.Key, Path> paths = new HashMap<>();
  private final Authentication authentication;
  private final Admission<AcceptedLink> accepted;
  private final @Nullable InetAddress outgoing;
  private final TurnEnd turnEnd;
  private @Nullable Listener listener;
  private int inFlight;
  private boolean refusedForDepth;
  private boolean closed;

  TcpDomain(
      TcpLoop loop,
      OpenContext context,
      Authentication authentication,
      Admission<AcceptedLink> accepted,
      @Nullable InetAddress outgoing) {
    this.loop = loop;
    this.context = context;
    this.authentication = authentication;
    this.accepted = accepted;
    this.outgoing = outgoing;
    this.capabilities =
        Capabilities.builder(
                loop.encrypts() ? MAX_ENCRYPTED_PIECE_BYTES : MAX_PIECE_BYTES, context.nicDepth())
            .completion(CompletionLevel.DELIVERED)
            .devices(context.devices().andHost())
            .fencesLostPeers(true)
            .maxRows(Wire.MAX_ROWS)
            .maxGather(Wire.MAX_ROWS)
            .build();
    this.turnEnd = new TurnEnd(loop);
    this.events = new EventQueue(context.doorbell());
    this.staging = new Staging(context.devices(), System::nanoTime);
    this.registrations = new Registrations(loop.keys(), context.devices(), staging);
  }

  /** It can be reached from now on. */
  void listensWith(Listener openListener) {
    this.listener = openListener;
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public byte[] address() {
    if (listener == null) {
      throw new IllegalStateException("expected an opened NIC, got one that does not listen yet");
    }
    return listener.address().encode();
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    return CompletableFuture.completedStage(registrations.add(memory, access));
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    try {
      return CompletableFuture.completedStage(registrations.rename((TcpMemory) memory));
    } catch (BackendException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    try {
      registrations.remove((TcpMemory) memory);
      return CompletableFuture.completedStage(null);
    } catch (BackendException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    return new TcpPeer(engine, nic, NicAddress.decode(address));
  }

  @Override
  public void release(RemotePeer peer) {
    disconnect(peer, "it is needed no more");
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    return new TcpRemoteMemory((TcpPeer) peer, MemoryKey.decode(key), length);
  }

  @Override
  public PostResult post(Operation op) {
    if (closed) {
      return PostResult.NIC_BUSY;
    }
    if (inFlight >= capabilities.queueDepth()) {
      refusedForDepth = true;
      return PostResult.NIC_BUSY;
    }
    TcpRemoteMemory target = (TcpRemoteMemory) op.remote();
    PostResult result = pathTo(target.peer()).post((TcpMemory) op.local(), target, op);
    if (!result.isTaken()) {
      return result;
    }
    inFlight++;
    return PostResult.TAKEN;
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    TcpPeer known = (TcpPeer) peer;
    Path path = paths.get(known.key());
    if (path != null) {
      String who = "engine " + known.key().engine().toShortString() + " at " + known.address();
      path.endWith(
          ErrorCode.GIVEN_UP.because(who + " was given up: " + reason),
          ErrorCode.GIVEN_UP.because("this engine was given up: " + reason));
    }
    CompletableFuture<Void> fence = new CompletableFuture<>();
    if (closed) {
      fence.complete(null);
    } else {
      events.add(new Event.Fenced(fence)); // behind what had come
    }
    return fence;
  }

  @Override
  public int poll(CompletionSink sink) {
    int reported = 0;
    // Not more than there were: what a report leads to is for the next poll.
    int due = Math.min(events.size(), MAX_EVENTS_PER_POLL);
    for (Event event; reported < due && (event = events.next()) != null; reported++) {
      report(event, sink);
      events.recycle(event);
    }
    events.offerRoom();
    boolean slotsFree = refusedForDepth && inFlight < capabilities.queueDepth();
    if (slotsFree || events.size() > 0) {
      refusedForDepth &= !slotsFree;
      context.doorbell().ring();
    }
    return reported;
  }

  private void report(Event event, CompletionSink sink) {
    switch (event) {
      case Event.Written written -> {
        inFlight--;
        sink.written(written.token);
      }
      case Event.Failed(long token, Failure why, boolean refused) -> {
        inFlight--;
        if (refused) {
          sink.refused(token, why.code(), why.text());
        } else {
          sink.failed(token, why.code(), why.text());
        }
      }
      case Event.Landed landed -> landed(landed, sink);
      case Event.Refused(Link link, Failure why) -> link.refuse(why);
      case Event.Fenced(CompletableFuture<Void> fence) -> fence.complete(null);
      case Event.Lost(EngineId peer, Failure why) -> sink.peerLost(peer, why.code(), why.text());
    }
  }

  private static void landed(Event.Landed landed, CompletionSink sink) {
    Link link = Objects.requireNonNull(landed.link);
    TcpMemory memory = Objects.requireNonNull(landed.memory);
    BackendException failed = Staged.settle(landed.staged);
    landed.staged = null;
    if (failed != null && !failed.isOver()) {
      link.refuse(Incoming.unwritable(failed)); // whatever else there is to say
      return;
    }
    if (!memory.isOpen() && (landed.hasImm || !memory.isAlive())) {
      link.refuse(Incoming.revoked());
      return;
    }
    if (!memory.isAlive()) {
      link.refuse(Incoming.memoryGone());
      return;
    }
    if (failed != null) {
      link.refuse(Incoming.unwritable(failed));
      return;
    }
    if (landed.hasImm) {
      sink.immArrived(link.engine(), landed.imm, landed.bytes);
    }
    link.settle();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (listener != null) {
      listener.close();
    }
    Failure why = ErrorCode.CLOSED.because("its engine was closed");
    for (Path path : paths.values()) {
      path.close(why);
    }
    for (AcceptedLink link : accepted.all()) {
      link.close(why);
    }
    paths.clear();
    events.clear();
    registrations.clear();
    staging.close();
    staging.requireQuiet();
  }

  private Path pathTo(TcpPeer peer) {
    Path path = peer.path;
    if (path == null || path.isGone()) {
      path = path(peer.key());
      peer.path = path;
    }
    return path;
  }

  // What its connections tell it, and need from it.

  /** Why this connection from outside is not taken; null if it is. */
  @Nullable Failure admit(AcceptedLink link, InetAddress from) {
    return closed ? ErrorCode.CLOSED.because("its engine was closed") : accepted.admit(link, from);
  }

  /** Its handshake is done. */
  void opened(AcceptedLink link) {
    accepted.opened(link);
  }

  void ended(AcceptedLink link) {
    accepted.ended(link);
  }

  /** The way to that NIC, be there a connection or not. */
  Path path(Path.Key key) {
    return paths.computeIfAbsent(key, _ -> new Path(this, key));
  }

  /** Nothing is left of it. */
  void forget(Path path) {
    paths.remove(path.key(), path);
  }

  /** Where a connection to that address comes from; null for whatever the system takes. */
  @Nullable InetSocketAddress outgoingAddress(InetSocketAddress remote) {
    boolean sameKind =
        outgoing != null
            && remote.getAddress() != null
            && remote.getAddress().getAddress().length == outgoing.getAddress().length;
    return sameKind ? new InetSocketAddress(outgoing, 0) : null;
  }

  Authentication authentication() {
    return authentication;
  }

  /** How much it keeps of other engines. */
  int known() {
    return paths.size() + accepted.all().size() + loop.links().size();
  }

  TurnEnd turnEnd() {
    return turnEnd;
  }

  TcpLoop loop() {
    return loop;
  }

  EngineId engine() {
    return context.engine();
  }

  int nicIndex() {
    return context.nicIndex();
  }

  Doorbell doorbell() {
    return context.doorbell();
  }

  long connectNanos() {
    return context.connectTimeout().toNanos();
  }

  int connectMillis() {
    return (int) Math.min(Integer.MAX_VALUE, Math.max(1, context.connectTimeout().toMillis()));
  }

  EventQueue events() {
    return events;
  }

  Registrations registrations() {
    return registrations;
  }
}
