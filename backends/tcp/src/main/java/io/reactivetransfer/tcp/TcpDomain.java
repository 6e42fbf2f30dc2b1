package io.reactivetransfer.tcp;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
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
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WriteOp;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
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

  /** How long a peer is left alone after its connection ended. */
  private static final long BACK_OFF_MILLIS = 50;

  private final TcpLoop loop;
  private final OpenContext context;
  private final Capabilities capabilities;
  private final EventQueue events;
  private final Registrations registrations;
  private final Map<TcpPeer.Key, OutboundLink> outbound = new HashMap<>();
  private final Authentication authentication;
  private final Admission<InboundLink> inbound;
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
      Admission<InboundLink> inbound,
      @Nullable InetAddress outgoing) {
    this.loop = loop;
    this.context = context;
    this.authentication = authentication;
    this.inbound = inbound;
    this.outgoing = outgoing;
    this.capabilities =
        new Capabilities(
            CompletionLevel.DELIVERED,
            loop.encrypts() ? MAX_ENCRYPTED_PIECE_BYTES : MAX_PIECE_BYTES,
            context.nicDepth(),
            true,
            false,
            true);
    this.turnEnd = new TurnEnd(loop);
    this.events = new EventQueue(context.doorbell());
    this.registrations = new Registrations(loop.keys());
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
    if (!(memory instanceof HostMemory host)) {
      throw new BackendException(
          0, "tcp cannot register device memory; copy it to host memory, or use another backend");
    }
    return CompletableFuture.completedStage(registrations.add(host.segment(), access));
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    TcpMemory old = (TcpMemory) memory;
    registrations.remove(old);
    return CompletableFuture.completedStage(registrations.add(old.segment(), old.access()));
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    registrations.remove((TcpMemory) memory);
    return CompletableFuture.completedStage(null);
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
  public PostResult post(WriteOp op) {
    if (closed) {
      return PostResult.NIC_BUSY;
    }
    if (inFlight >= capabilities.queueDepth()) {
      refusedForDepth = true;
      return PostResult.NIC_BUSY;
    }
    TcpRemoteMemory target = (TcpRemoteMemory) op.target();
    PostResult result = linkTo(target.peer()).post((TcpMemory) op.source(), target, op);
    if (!result.isTaken()) {
      return result;
    }
    inFlight++;
    return PostResult.TAKEN;
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    TcpPeer.Key key = ((TcpPeer) peer).key();
    int nic = ((TcpPeer) peer).nic();
    String who = "engine " + key.engine().toShortString() + " at " + key.address();
    Failure why = ErrorCode.GIVEN_UP.because(who + " was given up: " + reason);
    Failure farewell = ErrorCode.GIVEN_UP.because("this engine was given up: " + reason);
    loop.origins()
        .end(key.engine(), link -> link.isBetween(nic, this), link -> link.endWith(why, farewell));
    OutboundLink link = outbound.get(key);
    if (link != null) {
      link.endWith(why, farewell);
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
      case Event.Refused(InboundLink link, Failure why) -> link.refuse(why);
      case Event.Fenced(CompletableFuture<Void> fence) -> fence.complete(null);
      case Event.Lost(EngineId peer, Failure why) -> sink.peerLost(peer, why.code(), why.text());
    }
  }

  private static void landed(Event.Landed landed, CompletionSink sink) {
    InboundLink link = Objects.requireNonNull(landed.link);
    TcpMemory memory = Objects.requireNonNull(landed.memory);
    if (!memory.isOpen() && (landed.hasImm || !memory.isAlive())) {
      link.refuse(InboundLink.revoked());
      return;
    }
    if (!memory.isAlive()) {
      link.refuse(InboundLink.memoryGone());
      return;
    }
    if (landed.hasImm) {
      sink.immArrived(link.requireOrigin(), landed.imm);
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
    for (OutboundLink link : List.copyOf(outbound.values())) {
      link.close(why);
    }
    for (InboundLink link : inbound.all()) {
      link.close(why);
    }
    outbound.clear();
    registrations.clear();
    events.clear();
  }

  private OutboundLink linkTo(TcpPeer peer) {
    OutboundLink known = peer.link;
    if (known != null && !known.isGone()) {
      return known;
    }
    OutboundLink link = outbound.get(peer.key());
    if (link == null) {
      link = new OutboundLink(this, peer.key());
      outbound.put(peer.key(), link);
      link.connect();
    }
    peer.link = link;
    return link;
  }

  // What its connections tell it, and need from it.

  /** Why this connection from outside is not taken; null if it is. */
  @Nullable Failure admit(InboundLink link, InetAddress from) {
    return closed ? ErrorCode.CLOSED.because("its engine was closed") : inbound.admit(link, from);
  }

  /** Its handshake is done. */
  void opened(InboundLink link) {
    inbound.opened(link);
  }

  void inboundEnded(InboundLink link) {
    inbound.ended(link);
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

  void outboundEnded(OutboundLink link, Failure why) {
    if (why.code() != ErrorCode.CLOSED.value) {
      loop.outgoing().broke(link.peer().engine(), link.connection());
    }
    events.add(new Event.Lost(link.peer().engine(), why));
    loop.schedule(
        () -> {
          outbound.remove(link.peer(), link);
          link.giveWay();
        },
        TimeUnit.MILLISECONDS.toNanos(BACK_OFF_MILLIS));
  }

  /** How much it keeps of other engines. */
  int known() {
    return outbound.size()
        + inbound.all().size()
        + loop.outgoing().size()
        + (loop.origins().isEmpty() ? 0 : 1);
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
