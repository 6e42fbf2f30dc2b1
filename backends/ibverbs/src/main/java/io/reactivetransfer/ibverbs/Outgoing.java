package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ffm.LookClock;
import io.reactivetransfer.ibverbs.Connection.State;
import io.reactivetransfer.ibverbs.QueuePairs.Made;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The connections for own writes. One is made when something is to be written: a queue pair is, the
 * peer is asked for one that receives ({@link SetUp#REQUEST}), and when it has answered ({@link
 * SetUp#REPLY}) both are connected.
 */
final class Outgoing {

  /** A peer that was lost is not tried again, and so not lost again, before so long. */
  private static final long LEFT_ALONE_NANOS = 100_000_000;

  /** A peer that ends a connection for the second time in so long is left alone, too. */
  private static final long LATELY_NANOS = 2 * LEFT_ALONE_NANOS;

  /** A peer that ends one after the other is lost when more than these are still being ended. */
  private static final int MOST_ENDING = 4;

  private final QueuePairs queuePairs;
  private final Tasks tasks;
  private final Writes writes;
  private final Endings endings;
  private final Outbox outbox;
  private final long connectNanos;
  private final LookClock clock = new LookClock(System.nanoTime());

  /** Those to which a connection is being made. */
  private final Set<VerbsPeer> connecting = new LinkedHashSet<>();

  /** Those that were lost, which is to be reported. */
  private final Set<VerbsPeer> lost = new LinkedHashSet<>();

  /** Those that something was to be written to while they are left alone, in that order. */
  private final Set<VerbsPeer> wanted = new LinkedHashSet<>();

  private String down = "";
  private long lastSerial;

  Outgoing(
      QueuePairs queuePairs,
      Tasks tasks,
      Writes writes,
      Endings endings,
      Outbox outbox,
      long connectNanos) {
    this.queuePairs = queuePairs;
    this.tasks = tasks;
    this.writes = writes;
    this.endings = endings;
    this.outbox = outbox;
    this.connectNanos = connectNanos;
  }

  // ---- making one ----

  /**
   * Begins to connect, unless that was begun. A peer that was lost lately has to wait: whoever
   * posts to it tries again at once, and would hear of one loss after the other.
   */
  void connect(VerbsPeer peer) {
    long now = System.nanoTime();
    if (peer.outgoing != null || peer.loss != null || peer.isReleased()) {
      return;
    }
    if (peer.isLeftAlone(now)) {
      wanted.add(peer);
      return;
    }
    if (!connecting.contains(peer)) { // else it is still the same attempt
      peer.sinceNanos = now();
    }
    if (down.isEmpty()) {
      begin(peer);
    } else {
      lose(peer, 0, down);
    }
  }

  private void begin(VerbsPeer peer) {
    Connection connection = new Connection(peer, ++lastSerial, writes.slots());
    peer.outgoing = connection;
    connecting.add(peer);
    tasks.run(
        queuePairs::makeForWriting,
        made -> made(connection, made),
        refusal -> notMade(connection, refusal));
  }

  private void made(Connection connection, Made made) {
    connection.made(made);
    if (connection.isEnding()) {
      endings.stop(connection);
      return;
    }
    connection.state = State.REQUESTED;
    outbox.add(connection, SetUp.request(connection.serial(), queuePairs.nameOf(made)));
  }

  private void notMade(Connection connection, BackendException refusal) {
    if (!connection.isEnding()) {
      lose(connection.peer(), refusal.code(), String.valueOf(refusal.getMessage()));
    }
    endings.over(connection); // there is no queue pair
  }

  /** The peer has a queue pair that receives. */
  void replied(VerbsPeer peer, long serial, SetUp.QueuePair answer) {
    Connection connection = peer.outgoing;
    if (connection == null
        || connection.serial() != serial
        || connection.state != State.REQUESTED) {
      return;
    }
    connection.state = State.CONNECTING;
    tasks.run(
        () -> {
          connection.mayBeConnected = true; // seen by the NIC's thread with the end of the task
          queuePairs.connectForWriting(connection.qp, connection.psn, peer.address(), answer);
          return connection;
        },
        this::connected,
        refusal -> notConnected(connection, refusal));
  }

  private void connected(Connection connection) {
    if (connection.isEnding()) {
      endings.stop(connection);
      return;
    }
    connection.state = State.READY;
    connecting.remove(connection.peer());
    writes.again(connection);
  }

  private void notConnected(Connection connection, BackendException refusal) {
    if (connection.isEnding()) {
      endings.stop(connection);
    } else {
      connection.state = State.REQUESTED; // no task of it runs
      lose(connection.peer(), refusal.code(), String.valueOf(refusal.getMessage()));
    }
  }

  /** The peer has none. */
  void rejected(VerbsPeer peer, long serial, String reason) {
    if (isPresent(peer, serial)) {
      lose(peer, 0, "the peer could not connect: " + reason);
    }
  }

  private static boolean isPresent(VerbsPeer peer, long serial) {
    return peer.outgoing != null && peer.outgoing.serial() == serial;
  }

  /**
   * The peer's queue pair is no more. If something is out, completions tell what became of it; then
   * another one is asked for, if something is to be written.
   */
  void disconnected(VerbsPeer peer, long serial) {
    Connection connection = peer.outgoing;
    if (connection == null || !isPresent(peer, serial)) {
      return;
    }
    connection.isEndedByPeer = true;
    replaceEnded(connection);
  }

  /** One that the peer has ended, when nothing is out on it any more. */
  void replaceEnded(Connection connection) {
    if (!connection.out().isEmpty()) {
      return;
    }
    VerbsPeer peer = connection.peer();
    long ending = peer.ending().stream().filter(each -> !each.isIncoming()).count();
    Failure why = new Failure(0, "the peer has ended the connection", true);
    if (ending >= MOST_ENDING) {
      lose(peer, 0, peer + " ends one connection after the other");
    } else {
      boolean isWanted =
          !connection.isReady() || !connection.chain().isEmpty() || !peer.again().isEmpty();
      endings.end(connection, why, true);
      leaveAloneIfEndedLately(peer);
      if (isWanted) {
        connect(peer);
      }
    }
  }

  /** Else a peer that connects and ends it, again and again, would keep this host busy. */
  private static void leaveAloneIfEndedLately(VerbsPeer peer) {
    long now = System.nanoTime();
    if (peer.hasEndedOne && now - peer.endedNanos < LATELY_NANOS) {
      peer.leaveAloneUntil(now + LEFT_ALONE_NANOS);
    }
    peer.hasEndedOne = true;
    peer.endedNanos = now;
  }

  /** What was before the attempt that begins is not its time. */
  private long now() {
    clock.polled(System.nanoTime());
    return clock.getAsLong();
  }

  // ---- ending one ----

  /** It has failed: what has certainly not begun is posted again over another one. */
  void replace(Connection connection, Failure why) {
    VerbsPeer peer = connection.peer();
    if (connection.isReady()) {
      peer.sinceNanos = now(); // else it is still the same attempt
    }
    endings.end(connection, why, true);
    if (down.isEmpty()) {
      begin(peer);
    } else {
      lose(peer, 0, down);
    }
  }

  /** The way to a peer is lost, which is reported with the next poll, or this one. */
  void lose(VerbsPeer peer, int code, String text) {
    if (peer.loss == null) {
      peer.loss = new Failure(code, text, false);
      lost.add(peer);
    }
    peer.leaveAloneUntil(System.nanoTime() + LEFT_ALONE_NANOS);
    end(peer, new Failure(code, text, false));
  }

  /** The engine gives a peer up: nothing of what happened to it before is of any concern. */
  void giveUp(VerbsPeer peer, Failure why) {
    peer.loss = null;
    lost.remove(peer);
    wanted.remove(peer);
    end(peer, why);
  }

  /** Nothing is posted again, also of what a connection that ends keeps. */
  private void end(VerbsPeer peer, Failure why) {
    connecting.remove(peer);
    if (peer.outgoing != null) {
      endings.end(peer.outgoing, why, false);
    }
    for (Connection ending : peer.ending()) {
      if (ending.keepsRest) {
        ending.keepsRest = false;
        ending.end = why.asCertain();
      }
    }
    writes.giveUp(peer, why.code(), why.text());
  }

  /** Its queue pair has failed, see {@link Connections#failed}. */
  void failed(Connection connection, boolean isFatal) {
    if (connection.isReady() && connection.out().isEmpty()) {
      replace(connection, new Failure(0, "the connection has failed", true));
    } else if (isFatal) {
      lose(connection.peer(), 0, "the connection with " + connection.peer() + " has failed");
    }
  }

  // ---- the port ----

  /** Nobody can be reached for now. */
  void portDown(String text, Iterable<VerbsPeer> peers) {
    down = text;
    for (VerbsPeer peer : peers) {
      if (peer.isInUse()) {
        lose(peer, 0, text);
      }
    }
  }

  /** Who was lost meanwhile can be tried again at once. */
  void portUp(Iterable<VerbsPeer> peers) {
    down = "";
    peers.forEach(VerbsPeer::leaveAloneNoMore);
  }

  // ---- each turn ----

  boolean areDue(long now) {
    return !lost.isEmpty()
        || (!wanted.isEmpty() && wanted.stream().anyMatch(peer -> !peer.isLeftAlone(now)));
  }

  /** Reports losses; before the failures of the writes that they end. */
  int settle(CompletionSink sink, long now) {
    clock.polled(now);
    if (!connecting.isEmpty()) {
      List.copyOf(connecting).forEach(this::loseIfLate);
    }
    if (!wanted.isEmpty()) {
      List<VerbsPeer> again = wanted.stream().filter(peer -> !peer.isLeftAlone(now)).toList();
      again.forEach(wanted::remove);
      again.forEach(this::connect);
    }
    return lost.isEmpty() ? 0 : tellLosses(sink);
  }

  private void loseIfLate(VerbsPeer peer) {
    if (clock.getAsLong() - peer.sinceNanos > connectNanos) {
      lose(peer, 0, peer + " did not connect within " + connectNanos / 1_000_000 + " ms");
    }
  }

  private int tellLosses(CompletionSink sink) {
    List<VerbsPeer> told = List.copyOf(lost);
    lost.clear();
    for (VerbsPeer peer : told) {
      Failure loss = peer.loss;
      peer.loss = null;
      if (loss != null) {
        sink.peerLost(peer.engine(), loss.code(), loss.text());
      }
    }
    return told.size();
  }
}
