package io.reactivetransfer.control;

import io.reactivetransfer.EngineId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which connections there are with one other engine, and which of them is the session. Both sides
 * may dial at the same time, and each may have lost a session that the other one still believes in;
 * so each side decides by what it knows when its own dial is welcomed, and the other side follows
 * when the first frame comes. A welcome alone commits to nothing.
 *
 * <p>Two dials that cross are both welcomed. Then each side knows both, and the one of the smaller
 * id stays; unless the welcome says that the other side has committed to its own dial already,
 * whose first frame is on its way here then. Knows nothing of sockets.
 *
 * @param <C> a connection
 */
final class PeerState<C extends PeerState.Candidate> {

  /** A connection that may become the session. */
  interface Candidate {

    /** Whether this engine dialled it. */
    boolean isDialledHere();

    /** How many times the side that dialled it had dialled. */
    long number();
  }

  /** What to do with a dial of this engine that was welcomed. */
  enum Verdict {
    /** It is the session from now on. */
    OPEN,
    /** There is a session; it is not needed. */
    HAS_SESSION,
    /** The other side's dial stays, and its first frame is still to come. */
    WAIT
  }

  private final EngineId self;
  private final EngineId peer;
  private final List<C> answered = new ArrayList<>();
  private @Nullable C session;

  PeerState(EngineId self, EngineId peer) {
    this.self = self;
    this.peer = peer;
  }

  @Nullable C session() {
    return session;
  }

  /** Those from the other side that were welcomed here, and whose first frame is to come. */
  List<C> answered() {
    return List.copyOf(answered);
  }

  boolean isIdle() {
    return session == null && answered.isEmpty();
  }

  /** What a welcome says: the number of the session, if this engine dialled it, else 0. */
  long ownSession() {
    return session != null && session.isDialledHere() ? session.number() : 0;
  }

  /** A connection from the other side is welcomed here. */
  void answer(C inbound) {
    answered.add(inbound);
  }

  /**
   * A dial of this engine was welcomed.
   *
   * @param theirs what the welcome says
   */
  Verdict welcomed(C dial, long theirs) {
    if (session != null) {
      return Verdict.HAS_SESSION;
    }
    boolean committed = answered.stream().anyMatch(inbound -> inbound.number() == theirs);
    if (committed || (!answered.isEmpty() && peer.compareTo(self) < 0)) {
      return Verdict.WAIT;
    }
    session = dial;
    return Verdict.OPEN;
  }

  /**
   * The first frame came on a connection that was welcomed here.
   *
   * @return whether it is the session now; if not, then it was overtaken by a later one of the same
   *     side
   */
  boolean confirmed(C inbound) {
    answered.remove(inbound);
    if (session != null && !session.isDialledHere() && session.number() > inbound.number()) {
      return false;
    }
    session = inbound;
    return true;
  }

  /** A connection is no more; whether it was the session. */
  @SuppressWarnings("ReferenceEquality") // a connection is equal to itself only
  boolean ended(C connection) {
    answered.remove(connection);
    boolean was = session == connection;
    if (was) {
      session = null;
    }
    return was;
  }
}
