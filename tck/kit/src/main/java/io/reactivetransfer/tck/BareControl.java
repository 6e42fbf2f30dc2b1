package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A NIC without an engine, and what an engine does for it beside giving it writes: resolves each
 * peer once, and carries what NICs have to say to each other, in order, as long as neither gives
 * the other up. Whoever is closed just says nothing more.
 */
final class BareControl extends ForwardingDomain {

  private static final Map<EngineId, BareControl> OPEN = new ConcurrentHashMap<>();
  private static final Map<Pair, Session> SESSIONS = new ConcurrentHashMap<>();

  private record Pair(EngineId one, EngineId other) {
    static Pair of(EngineId a, EngineId b) {
      return a.hashCode() < b.hashCode() ? new Pair(a, b) : new Pair(b, a);
    }
  }

  /** As long as neither of two gives the other up. */
  private static final class Session {
    private volatile boolean over;
  }

  private record Name(EngineId engine, int nic, ByteBuffer address) {}

  /** What has come: a message, or, without one, the end of the session. */
  private record Letter(Name from, Session session, @Nullable ByteBuffer message) {}

  private final Name self;
  private final Runnable doorbell;
  private final Queue<Letter> inbox = new ConcurrentLinkedQueue<>();
  private final Map<Name, RemotePeer> peers = new HashMap<>();
  private final IdentityHashMap<RemotePeer, Name> names = new IdentityHashMap<>();
  private final Map<EngineId, Session> sessions = new HashMap<>();

  /** Whether it has taken over something that it was not told to begin with. */
  private boolean unflushed;

  /**
   * In front of this one.
   *
   * @param doorbell rung when there is something to {@link #deliver()}
   */
  BareControl(Domain inner, EngineId engine, Runnable doorbell) {
    super(inner);
    this.self = new Name(engine, 0, ByteBuffer.wrap(inner.address()));
    this.doorbell = doorbell;
    OPEN.put(engine, this);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    return resolve(new Name(engine, nic, ByteBuffer.wrap(address)));
  }

  private RemotePeer resolve(Name name) {
    RemotePeer known = peers.get(name);
    if (known == null) {
      known = inner.resolve(name.engine(), name.nic(), name.address().array());
      peers.put(name, known);
      names.put(known, name);
    }
    return known;
  }

  /** As an engine that forgets it: it may be resolved again. */
  @Override
  public void release(RemotePeer peer) {
    Name name = names.remove(peer);
    if (name == null) {
      throw new AssertionError("expected a peer that this NIC resolved, got " + peer);
    }
    peers.remove(name);
    inner.release(peer);
  }

  /** This NIC has something to say. */
  void say(RemotePeer to, ByteBuffer message) {
    Name name = names.get(to);
    if (name == null) {
      throw new AssertionError("expected a peer that this NIC resolved, got " + to);
    }
    ByteBuffer copy = ByteBuffer.allocate(message.remaining()).put(message.duplicate()).flip();
    Session session =
        sessions.computeIfAbsent(
            name.engine(),
            engine ->
                SESSIONS.computeIfAbsent(Pair.of(self.engine(), engine), pair -> new Session()));
    post(name.engine(), new Letter(self, session, copy));
  }

  private static void post(EngineId to, Letter letter) {
    BareControl other = OPEN.get(to);
    if (other != null) {
      other.inbox.add(letter);
      other.doorbell.run();
    }
  }

  /** Tells the NIC what others have said to it; returns how much. */
  int deliver() {
    int delivered = 0;
    for (Letter next = inbox.poll(); next != null; next = inbox.poll()) {
      delivered++;
      if (next.message() == null) {
        ended(next);
      } else if (!next.session().over) {
        sessions.put(next.from().engine(), next.session());
        inner.fromPeer(resolve(next.from()), next.message());
      }
    }
    return delivered;
  }

  private void ended(Letter end) {
    sessions.remove(end.from().engine(), end.session());
    RemotePeer peer = peers.get(end.from());
    if (peer != null) {
      inner.disconnect(peer, "the session is over");
    }
  }

  @Override
  public PostResult post(Operation op) {
    PostResult result = inner.post(op);
    unflushed |= result.isTaken();
    return result;
  }

  /** After what may have been a run of posts. */
  void flushIfDue() {
    if (unflushed) {
      flush();
    }
  }

  @Override
  public void flush() {
    unflushed = false;
    inner.flush();
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    CompletionStage<Void> fence = inner.disconnect(peer, reason);
    Name name = names.get(peer);
    Session session = name == null ? null : sessions.remove(name.engine());
    if (name != null && session != null) {
      session.over = true;
      SESSIONS.remove(Pair.of(self.engine(), name.engine()), session);
      post(name.engine(), new Letter(self, session, null));
    }
    return fence;
  }

  @Override
  public void close() {
    OPEN.remove(self.engine());
    unflushed = false;
    inner.close();
  }
}
