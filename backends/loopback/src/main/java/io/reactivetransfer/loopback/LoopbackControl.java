package io.reactivetransfer.loopback;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The control channel of one engine within the JVM. What others have for it stands in one queue, in
 * order; so a session begins, speaks and ends in this order, and before the next one.
 */
final class LoopbackControl implements ControlChannel {

  static final int MAX_MESSAGE_BYTES = 1 << 20;

  private static final int EVENTS_PER_POLL = 256;

  private final LoopbackNetwork network;
  private final EngineId engine;
  private final ControlContext context;
  private final HostPort address;
  private final Map<EngineId, LoopbackSession> sessions = new HashMap<>();
  private final Queue<ControlEvent> events = new ConcurrentLinkedQueue<>();

  LoopbackControl(LoopbackNetwork network, ControlContext context) {
    this.network = network;
    this.engine = context.identity().id();
    this.context = context;
    this.address = network.attach(this);
  }

  EngineId engine() {
    return engine;
  }

  @Override
  public HostPort address() {
    return address;
  }

  @Override
  public int maxMessageBytes() {
    return MAX_MESSAGE_BYTES;
  }

  @Override
  public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
    if (bytes.remaining() > MAX_MESSAGE_BYTES) {
      throw new IllegalArgumentException(
          "expected a message of at most "
              + MAX_MESSAGE_BYTES
              + " bytes, got "
              + bytes.remaining());
    }
    LoopbackSession session = sessions.get(to);
    if (session == null) {
      session = connect(to, at);
    }
    if (session == null) {
      return true; // it is about to be told that nobody is there
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(bytes.position(), copy);
    return session.offer(this, copy);
  }

  private @Nullable LoopbackSession connect(EngineId to, HostPort at) {
    LoopbackControl target = network.control(at);
    LoopbackSession session =
        target == null || !target.engine.equals(to) ? null : network.join(this, target);
    if (session == null) {
      String who =
          target == null ? "nobody" : target == this ? "this engine itself" : "another engine";
      tell(new ControlEvent.Unreachable(to, who + " is at " + at + " of this JVM and network"));
    } else {
      sessions.put(to, session);
    }
    return session;
  }

  @Override
  public void find(long token, HostPort at) {
    LoopbackControl target = network.control(at);
    LoopbackSession session = target == null ? null : network.join(this, target);
    if (target == this) { // no session is needed for that
      tell(new ControlEvent.Found(token, engine));
    } else if (target == null || session == null) {
      tell(new ControlEvent.NotFound(token, "nobody is there in this JVM and network"));
    } else {
      tell(new ControlEvent.Opened(session)); // behind the end of one before, which is told first
      tell(new ControlEvent.Found(token, target.engine));
    }
  }

  @Override
  public void disconnect(EngineId peer, String reason) {
    LoopbackSession session = sessions.remove(peer);
    if (session != null) {
      network.end(this, session, "this engine was given up: " + reason);
    }
  }

  @Override
  public int poll(ControlSink sink) {
    int told = 0;
    ControlEvent event;
    while (told < EVENTS_PER_POLL && (event = events.poll()) != null) {
      told++;
      report(event, sink);
    }
    if (!events.isEmpty()) {
      ring();
    }
    return told;
  }

  private void report(ControlEvent event, ControlSink sink) {
    switch (event) {
      case ControlEvent.Opened(LoopbackSession session) ->
          sessions.put(session.beyond(this).engine, session);
      case ControlEvent.Received(LoopbackSession session, byte[] bytes) -> {
        LoopbackControl sender = session.beyond(this);
        session.taken(sender);
        if (isPresent(session, sender)) {
          sink.received(sender.engine, ByteBuffer.wrap(bytes));
        }
      }
      case ControlEvent.Ended(LoopbackSession session, String why) -> {
        LoopbackControl peer = session.beyond(this);
        if (isPresent(session, peer)) {
          sessions.remove(peer.engine);
          sink.peerLost(peer.engine, 0, why);
        }
      }
      case ControlEvent.Unreachable(EngineId peer, String why) -> sink.peerLost(peer, 0, why);
      case ControlEvent.Found(long token, EngineId peer) -> sink.found(token, peer);
      case ControlEvent.NotFound(long token, String why) -> sink.notFound(token, 0, why);
    }
  }

  @SuppressWarnings("ReferenceEquality") // the very same session
  private boolean isPresent(LoopbackSession session, LoopbackControl peer) {
    return sessions.get(peer.engine) == session;
  }

  /** From any thread. */
  void tell(ControlEvent event) {
    events.add(event);
    ring();
  }

  /** From any thread. */
  void ring() {
    context.doorbell().ring();
  }

  @Override
  public void close() {
    network.detach(this);
    sessions.clear();
    events.clear();
  }
}
