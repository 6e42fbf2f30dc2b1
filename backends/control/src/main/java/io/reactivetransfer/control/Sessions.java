package io.reactivetransfer.control;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.socket.Admission;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.spi.ControlContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All connections of one engine, and which of them are its sessions. Everything happens on the
 * event loop.
 */
final class Sessions {

  /** How long a peer is left alone after it could not be dialled. */
  private static final long BACK_OFF_MILLIS = 50;

  /** What there is with one other engine. */
  private static final class Peer {
    final PeerState<Connection> state;

    /** Whom to tell when there is a session. */
    final List<Long> finds = new ArrayList<>();

    @Nullable Dialled dial;

    /** Where to dial when the back-off is over. */
    @Nullable HostPort dialNext;

    /** Where to dial if the other side has found that it needs none of what there was. */
    @Nullable HostPort dialInstead;

    /** Whether the engine waits for a session. */
    boolean isWanted;

    boolean backsOff;

    Peer(EngineId self, EngineId peer) {
      state = new PeerState<>(self, peer);
    }

    boolean isIdle() {
      return state.isIdle() && dial == null && !backsOff;
    }
  }

  private final ControlLoop loop;
  private final Network network;
  private final ControlContext context;
  private final Credentials credentials;
  private final Admission<Accepted> admission;
  private final Events events;
  private final Set<HostPort> aliases;
  private final Consumer<EngineId> sessionEnded;
  private final Map<EngineId, Peer> peers = new HashMap<>();

  /** Those that are to find out who is at an address. */
  private final Map<HostPort, Dialled> finding = new HashMap<>();

  private final List<Connection> awaitingRoom = new ArrayList<>();
  private volatile boolean roomWanted;
  private @Nullable HostPort advertised;
  private long dials;
  private boolean closed;

  Sessions(
      ControlLoop loop,
      Network network,
      ControlContext context,
      Credentials credentials,
      HandshakeLimits limits,
      Set<HostPort> aliases,
      Consumer<EngineId> sessionEnded) {
    this.loop = loop;
    this.network = network;
    this.context = context;
    this.credentials = credentials;
    this.admission =
        new Admission<>(
            limits.connections(),
            limits.halfOpen(),
            limits.perSecond(),
            limits.burst(),
            System::nanoTime);
    this.aliases = aliases;
    this.sessionEnded = sessionEnded;
    this.events = new Events(context.doorbell());
  }

  /** Others reach it there. */
  void listensAt(HostPort address) {
    advertised = address;
  }

  /** Nobody can reach it any more, although nobody has closed it. */
  void listensNoMore() {
    if (!closed) {
      Failure why =
          ErrorCode.BROKEN.because("the listening socket of " + advertised + " was closed");
      for (Peer peer : List.copyOf(peers.values())) {
        Connection session = peer.state.session();
        if (session != null) {
          session.end(why);
        }
      }
      events.add(new Events.Failed(why));
    }
  }

  // What the engine wants.

  /** Makes a session, unless there is one; it is reported, or that it could not be made. */
  void dial(EngineId to, HostPort at) {
    if (closed) {
      return;
    }
    Peer peer = peer(to);
    if (peer.state.session() != null) {
      return; // which the engine has not heard of yet
    }
    peer.isWanted = true;
    peer.dialInstead = null; // it was asked for another address before
    if (peer.backsOff) {
      peer.dialNext = at;
    } else if (peer.dial == null && peer.state.answered().isEmpty()) {
      begin(to, peer, at);
    } else {
      peer.dialInstead = at;
    }
  }

  private void begin(EngineId to, Peer peer, HostPort at) {
    Dialled dial = new Dialled(this, at, to, ++dials);
    peer.dial = dial;
    dial.connect();
  }

  /** Finds out who is there, and makes a session with it, unless there is one. */
  void find(long token, HostPort at) {
    if (closed) {
      return;
    }
    Dialled known = finding.get(at);
    if (known != null) {
      known.finds().add(token);
      return;
    }
    Dialled dial = new Dialled(this, at, null, ++dials);
    dial.finds().add(token);
    finding.put(at, dial);
    dial.connect();
  }

  /** Ends whatever there is with that engine, and reports nothing of it but that it has ended. */
  void disconnect(EngineId id, String reason) {
    if (closed) {
      return;
    }
    Peer peer = peers.get(id);
    if (peer != null) {
      Failure why =
          ErrorCode.GIVEN_UP.because("engine " + id.toShortString() + " was given up: " + reason);
      Failure farewell = ErrorCode.GIVEN_UP.because("this engine was given up: " + reason);
      peer.isWanted = false;
      peer.dialInstead = null;
      Connection session = peer.state.session();
      if (session != null) {
        session.shutWith(farewell);
        peer.state.ended(session);
        sessionEnded.accept(id);
        ended(session, why);
      }
      peer.state.answered().forEach(inbound -> inbound.endWith(why, farewell));
      if (peer.dial != null) {
        peer.dial.end(why);
      }
    }
    events.add(new Events.GivenUp(id));
  }

  /** Ends all. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    Failure why = ErrorCode.CLOSED.because("its engine was closed");
    for (Peer peer : List.copyOf(peers.values())) {
      Connection session = peer.state.session();
      if (session != null) {
        session.shutWith(why);
      }
      if (peer.dial != null) {
        peer.dial.shut();
      }
    }
    List.copyOf(finding.values()).forEach(Connection::shut);
    admission.all().forEach(Connection::shut);
    peers.clear();
    finding.clear();
    awaitingRoom.clear();
  }

  // What its connections tell it.

  /** Why this connection from outside is not taken; null if it is. */
  @Nullable Failure admit(Accepted connection, InetAddress from) {
    return closed
        ? ErrorCode.CLOSED.because("its engine was closed")
        : admission.admit(connection, from);
  }

  /**
   * Whether who has dialled this, and came to this IP address, meant this engine: it goes by a name
   * that this engine gives itself, or has come to the very address that it dialled. With anything
   * else, something in between passes connections on.
   */
  boolean isOwn(HostPort dialled, byte[] address, Channel channel) {
    InetSocketAddress local = (InetSocketAddress) channel.localAddress();
    return (advertised != null && isSame(advertised, dialled))
        || aliases.stream().anyMatch(own -> isSame(own, dialled))
        || (local.getPort() == dialled.port()
            && Arrays.equals(local.getAddress().getAddress(), address));
  }

  private static boolean isSame(HostPort own, HostPort dialled) {
    return own.port() == dialled.port() && own.host().equalsIgnoreCase(dialled.host());
  }

  /** The number of the session with that engine, if this engine dialled it, else 0. */
  long ownSession(EngineId id) {
    Peer peer = peers.get(id);
    return peer == null ? 0 : peer.state.ownSession();
  }

  /** A connection from outside was welcomed. */
  void answered(Accepted inbound, EngineId id) {
    peer(id).state.answer(inbound);
  }

  /** A dial was welcomed. */
  void welcomed(Dialled dial, EngineId id, long theirs) {
    if (id.equals(credentials.identity().id())) { // needs no session to talk with itself
      found(dial.finds(), id);
      drop(dial, "this engine has dialled itself");
      return;
    }
    Peer peer = peer(id);
    switch (peer.state.welcomed(dial, theirs)) {
      case OPEN -> {
        dial.send(FrameCodec.OPEN, new byte[0]);
        if (dial.phase() != Connection.Phase.ENDED) {
          opened(dial, id, peer);
          found(dial.finds(), id);
          peer.state.answered().forEach(inbound -> drop(inbound, "both sides have dialled"));
        }
      }
      case HAS_SESSION -> {
        found(dial.finds(), id);
        drop(dial, "there is a session already");
      }
      case WAIT -> {
        List<Long> waiting = List.copyOf(dial.finds());
        peer.finds.addAll(waiting);
        dial.finds().clear();
        if (!waiting.isEmpty()) {
          loop.schedule(() -> overdue(peer, waiting), connectNanos());
        }
        drop(dial, "both sides have dialled");
      }
    }
  }

  /**
   * The other side's connection was to become the session. It can dial again and again and never
   * open one, so whoever looks for it has the time of a dial.
   */
  private void overdue(Peer peer, List<Long> tokens) {
    List<Long> left = new ArrayList<>(tokens);
    left.retainAll(peer.finds);
    peer.finds.removeAll(left);
    if (!closed) {
      notFound(
          left,
          ErrorCode.TIMEOUT.because(
              "it was to open the session that it has dialled, and did not within "
                  + connectMillis()
                  + " ms"));
    }
  }

  /** The first frame has come on a connection that was welcomed here. */
  void confirmed(Accepted inbound, EngineId id) {
    admission.opened(inbound);
    Peer peer = peer(id);
    Connection before = peer.state.session();
    if (!peer.state.confirmed(inbound)) {
      drop(inbound, "a later one has come before it");
      return;
    }
    if (before != null) {
      Failure why =
          ErrorCode.REPLACED.because(
              before.where() + " has begun another session: it has lost this one");
      sessionEnded.accept(id);
      events.add(new Events.Lost(id, why));
      before.shutWith(why);
      ended(before, why);
    }
    opened(inbound, id, peer);
    Dialled dial = peer.dial;
    if (dial != null) {
      drop(dial, "both sides have dialled");
    }
    for (Connection other : peer.state.answered()) {
      if (other.number() < inbound.number()) {
        drop(other, "a later one has come before it");
      }
    }
  }

  private void opened(Connection connection, EngineId id, Peer peer) {
    if (peer.dial == connection) {
      peer.dial = null;
    }
    if (connection instanceof Dialled dial && dial.wanted() == null) {
      finding.remove(dial.at(), dial);
    }
    peer.isWanted = false;
    peer.dialInstead = null;
    events.add(new Events.Opened(connection.open(id)));
    found(peer.finds, id);
  }

  /** Ends a connection that is not needed; nobody is told. */
  private void drop(Connection connection, String why) {
    Failure crossed = ErrorCode.CROSSED.because(why);
    connection.shutWith(crossed);
    ended(connection, crossed);
  }

  /** A connection is no more. */
  void ended(Connection connection, Failure why) {
    if (closed) {
      return;
    }
    if (connection instanceof Accepted inbound) {
      admission.ended(inbound);
    } else if (connection instanceof Dialled dial && dial.wanted() == null) {
      finding.remove(dial.at(), dial);
      notFound(dial.finds(), why);
    }
    EngineId id = connection.peer();
    Peer peer = id == null ? null : peers.get(id);
    if (id == null || peer == null) {
      return;
    }
    // One on which OPEN could not be sent any more was none that anybody has heard of.
    if (peer.state.ended(connection) && connection.session() != null) {
      sessionEnded.accept(id);
      events.add(new Events.Lost(id, why));
    }
    if (peer.dial == connection) {
      peer.dial = null;
      backOff(id, peer);
    }
    settle(id, peer, why);
  }

  /** If nothing is left that a session could come of, then those who wait for one are told. */
  private void settle(EngineId id, Peer peer, Failure why) {
    if (!peer.state.isIdle() || peer.dial != null) {
      return;
    }
    HostPort instead = peer.dialInstead;
    peer.dialInstead = null;
    if (peer.isWanted && instead != null && why.code() == ErrorCode.CROSSED.value) {
      // The other side has a session that this one has lost: a dial from here replaces it there.
      begin(id, peer, instead);
      return;
    }
    notFound(peer.finds, why);
    if (peer.isWanted) {
      peer.isWanted = false;
      peer.dialNext = null;
      events.add(new Events.Lost(id, why));
    }
    if (peer.isIdle()) {
      peers.remove(id, peer);
    }
  }

  private void backOff(EngineId id, Peer peer) {
    peer.backsOff = true;
    loop.schedule(
        () -> {
          peer.backsOff = false;
          HostPort next = peer.dialNext;
          peer.dialNext = null;
          if (closed || peers.get(id) != peer) {
            return;
          }
          if (next != null && peer.isWanted && peer.isIdle()) {
            begin(id, peer, next);
          } else if (peer.isIdle()) {
            peers.remove(id, peer);
          }
        },
        TimeUnit.MILLISECONDS.toNanos(BACK_OFF_MILLIS));
  }

  private void found(List<Long> tokens, EngineId id) {
    tokens.forEach(token -> events.add(new Events.Found(token, id)));
    tokens.clear();
  }

  private void notFound(List<Long> tokens, Failure why) {
    tokens.forEach(token -> events.add(new Events.NotFound(token, why)));
    tokens.clear();
  }

  private Peer peer(EngineId id) {
    return peers.computeIfAbsent(id, _ -> new Peer(credentials.identity().id(), id));
  }

  // Reading on.

  /** Has the connection read on when the engine has taken enough out. */
  void awaitRoom(Connection connection) {
    awaitingRoom.add(connection);
    roomWanted = true;
    if (events.hasRoom()) { // the engine may have looked before that
      offerRoom();
    }
  }

  /** The engine has taken something out. Called on its thread. */
  void tookOut() {
    if (roomWanted && events.hasRoom()) {
      roomWanted = false;
      loop.execute(this::offerRoom);
    }
  }

  private void offerRoom() {
    roomWanted = false;
    List<Connection> waiting = List.copyOf(awaitingRoom);
    awaitingRoom.clear();
    waiting.forEach(Connection::readOn);
  }

  /** A key of the present session with that engine, or null if there is none. */
  byte @Nullable [] sessionKey(EngineId id, String label) {
    Peer peer = peers.get(id);
    Connection session = peer == null ? null : peer.state.session();
    SessionKeys keys = session == null ? null : session.keys();
    return keys == null ? null : keys.export(label);
  }

  /** How much it keeps of other engines. */
  int known() {
    return peers.size() + finding.size() + admission.all().size() + awaitingRoom.size();
  }

  // What they need from it.

  ControlLoop loop() {
    return loop;
  }

  Network network() {
    return network;
  }

  EventLoop eventLoop() {
    return loop.eventLoop();
  }

  Credentials credentials() {
    return credentials;
  }

  Events events() {
    return events;
  }

  String backend() {
    return context.backend();
  }

  int maxMessageBytes() {
    return context.maxMessageBytes();
  }

  long connectNanos() {
    return context.connectTimeout().toNanos();
  }

  int connectMillis() {
    return millis(context.connectTimeout());
  }

  /** As Netty takes it. */
  static int millis(Duration time) {
    return (int) Math.min(Integer.MAX_VALUE, Math.max(1, time.toMillis()));
  }
}
