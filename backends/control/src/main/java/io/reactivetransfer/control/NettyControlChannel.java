package io.reactivetransfer.control;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The control channel of one engine, over TCP. The engine's thread calls it; sockets are driven by
 * an event loop, which may be the same thread. Made by {@link NettyControl#open}.
 */
public final class NettyControlChannel implements ControlChannel {

  private static final int MAX_EVENTS_PER_POLL = 256;

  /** What this engine may have sent to itself. */
  private static final int MAX_OWN_MESSAGES = 1_024;

  private final ControlContext context;
  private final Sessions connections;
  private final Events events;
  private final Listener listener;
  private final Supplier<CompletionStage<Void>> afterClose;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Map<EngineId, Session> sessions = new HashMap<>();

  /** With whom a session is being made because something was to be sent. */
  private final Set<EngineId> wanted = new HashSet<>();

  /** Of whom nothing is reported before the loop has ended what there was, and how many times. */
  private final Map<EngineId, Integer> givenUp = new HashMap<>();

  private final ArrayDeque<ByteBuffer> own = new ArrayDeque<>();
  private boolean ownRefused;
  private boolean closed;

  NettyControlChannel(
      ControlContext context,
      Sessions connections,
      Listener listener,
      Supplier<CompletionStage<Void>> afterClose) {
    this.context = context;
    this.connections = connections;
    this.events = connections.events();
    this.listener = listener;
    this.afterClose = afterClose;
  }

  @Override
  public HostPort address() {
    return listener.address();
  }

  @Override
  public int maxMessageBytes() {
    return context.maxMessageBytes();
  }

  @Override
  public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
    if (bytes.remaining() > maxMessageBytes()) {
      throw new IllegalArgumentException(
          "expected a message of at most "
              + maxMessageBytes()
              + " bytes, got "
              + bytes.remaining());
    }
    if (closed) {
      return false;
    }
    if (to.equals(context.identity().id())) {
      return sendToItself(bytes);
    }
    Session session = sessions.get(to);
    if (session != null) {
      return session.offer(bytes); // refused when it has ended, until that is reported
    }
    if (wanted.add(to)) { // also before the end of what was given up: the loop does both in turn
      execute(() -> connections.dial(to, at));
    }
    return false;
  }

  private boolean sendToItself(ByteBuffer bytes) {
    if (own.size() >= MAX_OWN_MESSAGES) {
      ownRefused = true;
      return false;
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    own.add(ByteBuffer.wrap(copy));
    events.ring();
    return true;
  }

  @Override
  public void find(long token, HostPort at) {
    execute(() -> connections.find(token, at));
  }

  @Override
  public void disconnect(EngineId peer, String reason) {
    Session session = sessions.remove(peer);
    if (session != null) {
      session.end();
    }
    wanted.remove(peer);
    givenUp.merge(peer, 1, Integer::sum);
    execute(() -> connections.disconnect(peer, reason));
  }

  @Override
  public int poll(ControlSink sink) {
    if (closed) {
      return 0;
    }
    int reported = 0;
    // Not more than there were: what a report leads to is for the next poll.
    int due = Math.min(events.size() + own.size(), MAX_EVENTS_PER_POLL);
    for (; reported < due && !own.isEmpty(); reported++) {
      sink.received(context.identity().id(), own.remove());
    }
    Events.Event event;
    for (; reported < due && (event = events.next()) != null; reported++) {
      report(event, sink);
    }
    connections.tookOut();
    if (events.size() + own.size() > 0 || ownRefused) {
      ownRefused = false;
      events.ring();
    }
    return reported;
  }

  private void report(Events.Event event, ControlSink sink) {
    switch (event) {
      case Events.GivenUp(EngineId peer) ->
          givenUp.computeIfPresent(peer, (_, times) -> times == 1 ? null : times - 1);
      case Events.Opened(Session session) when givenUp.containsKey(session.peer()) -> {}
      case Events.Received(EngineId sender, _) when givenUp.containsKey(sender) -> {}
      case Events.Lost(EngineId peer, _) when givenUp.containsKey(peer) -> {}
      case Events.Opened(Session session) -> {
        sessions.put(session.peer(), session);
        if (wanted.remove(session.peer())) {
          events.ring(); // what was refused may be tried again
        }
      }
      case Events.Received(EngineId sender, ByteBuffer bytes) -> sink.received(sender, bytes);
      case Events.Lost(EngineId peer, Failure why) -> {
        sessions.remove(peer);
        wanted.remove(peer);
        sink.peerLost(peer, why.code(), why.text());
      }
      case Events.Found(long token, EngineId peer) -> sink.found(token, peer);
      case Events.NotFound(long token, Failure why) -> sink.notFound(token, why.code(), why.text());
      case Events.Failed(Failure why) -> sink.channelFailed(why.code(), why.text());
    }
  }

  @Override
  public void close() {
    closed = true;
    own.clear();
    sessions.clear();
    wanted.clear();
    givenUp.clear();
    // One that has broken down before runs no tasks any more.
    connections.loop().ended().whenComplete((_, _) -> ended.complete(null));
    execute(this::closeAll);
  }

  /** Each of them, whatever another one throws. */
  private void closeAll() {
    try {
      connections.close();
    } finally {
      try {
        listener.close();
      } finally {
        endLoop();
      }
    }
  }

  private void endLoop() {
    try {
      afterClose.get().whenComplete((_, _) -> ended.complete(null));
    } catch (RuntimeException | Error e) {
      ended.complete(null); // nothing comes behind it
      throw e;
    }
  }

  @Override
  public CompletionStage<Void> closed() {
    return ended;
  }

  /**
   * A key that only this engine and that one know, for a use of a backend's own, such as to prove
   * that a connection of a NIC belongs to their session. Each session has other keys. Called on the
   * event loop, as soon as the session has begun there.
   *
   * @param label names the use: each has a key of its own; both sides get the same one
   * @return 32 bytes, or null if there is no session with that engine now
   */
  public byte @Nullable [] sessionKey(EngineId peer, String label) {
    return connections.sessionKey(peer, label);
  }

  /** How much is kept of other engines. */
  int known() {
    return connections.known() + sessions.size() + wanted.size() + givenUp.size();
  }

  /** On the loop. */
  void execute(Runnable task) {
    ControlLoop loop = connections.loop();
    if (loop.inLoop()) {
      task.run();
    } else {
      loop.execute(task);
    }
  }
}
