package io.reactivetransfer.ibverbs;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.ibverbs.Connection.State;
import io.reactivetransfer.ibverbs.QueuePairs.Made;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The connections with NICs of other engines: makes them when something is to be written, or when a
 * peer has made its own, and ends them.
 *
 * <p>Both sides do the same. Each makes a queue pair and says so ({@link Hello#HELLO}). When it has
 * heard of the other's, it connects the two, and says that ({@link Hello#READY}). When it has heard
 * that, it writes. A hello that means no connection of the other side, while there is a connected
 * one, says that the sender has begun anew: so does the other side then. Serial numbers tell what
 * was said of a connection that is no more.
 */
final class Connections {

  /** A step of ending a connection that was refused is tried again after so long. */
  private static final long RETRY_NANOS = 10_000_000;

  /** Of one peer: so long as more are being ended, none is begun. */
  private static final int MOST_ENDING = 2;

  private final QueuePairs queuePairs;
  private final Tasks tasks;
  private final Writes writes;
  private final long connectNanos;
  private final Set<VerbsPeer> all = new LinkedHashSet<>();

  /** Those to which a connection is being made. */
  private final Set<VerbsPeer> connecting = new LinkedHashSet<>();

  /** Those that were lost, which is to be reported. */
  private final Set<VerbsPeer> lost = new LinkedHashSet<>();

  /** Those of which what has come is being read, before the next step of ending them. */
  private final List<Connection> draining = new ArrayList<>();

  private final Queue<Said> outbox = new ArrayDeque<>();
  private String down = "";
  private long lastSerial;

  /** What is to be told to a NIC. */
  private record Said(VerbsPeer to, ByteBuffer message) {}

  Connections(QueuePairs queuePairs, Tasks tasks, Writes writes, long connectNanos) {
    this.queuePairs = queuePairs;
    this.tasks = tasks;
    this.writes = writes;
    this.connectNanos = connectNanos;
  }

  VerbsPeer resolve(EngineId engine, VerbsAddress address) {
    VerbsPeer peer = new VerbsPeer(engine, address, writes.slots());
    all.add(peer);
    return peer;
  }

  /** Forgets a peer to which nothing is out. */
  void release(VerbsPeer peer) {
    CompletionStage<Void> ignored = disconnect(peer, "the peer was released");
    all.remove(peer);
  }

  // ---- making one ----

  /** Begins to connect, unless that was begun. */
  void connect(VerbsPeer peer) {
    if (peer.connection == null && peer.loss == null && all.contains(peer)) {
      peer.sinceNanos = System.nanoTime();
      if (down.isEmpty()) {
        begin(peer);
      } else {
        lose(peer, 0, down);
      }
    }
  }

  private void begin(VerbsPeer peer) {
    Connection connection = new Connection(peer, ++lastSerial, writes.slots());
    connection.peersHello = peer.heldHello;
    peer.heldHello = null;
    peer.connection = connection;
    connecting.add(peer);
    tasks.run(
        queuePairs::make, made -> made(connection, made), refusal -> notMade(connection, refusal));
  }

  private void made(Connection connection, Made made) {
    connection.qp = made.qp();
    connection.number = made.number();
    connection.psn = made.psn();
    writes.know(connection);
    if (connection.isEnding()) {
      stop(connection);
      return;
    }
    connection.state = State.OFFERED;
    Hello own =
        new Hello(connection.serial(), made.number(), made.psn(), writes.port().address().mtu());
    say(connection.peer(), own.encode(connection.peerSerial()));
    if (connection.peersHello != null) {
      connect(connection, connection.peersHello);
    }
  }

  private void notMade(Connection connection, BackendException refusal) {
    if (!connection.isEnding()) {
      refuse(connection, refusal);
    }
    over(connection);
  }

  /** The peer is told, so that it waits no longer. */
  private void refuse(Connection connection, BackendException refusal) {
    String text = String.valueOf(refusal.getMessage());
    lose(connection.peer(), refusal.code(), text); // which takes back what was said of it before
    if (connection.peersHello != null) {
      say(connection.peer(), Hello.refused(connection.serial(), connection.peerSerial(), text));
    }
  }

  private void connect(Connection connection, Hello hello) {
    connection.state = State.CONNECTING;
    VerbsAddress address = connection.peer().address();
    tasks.run(
        () -> {
          queuePairs.connect(connection.qp, connection.psn, address, hello);
          return hello;
        },
        accepted -> accepted(connection, accepted),
        refusal -> notAccepted(connection, refusal));
  }

  private void accepted(Connection connection, Hello hello) {
    if (connection.isEnding()) {
      stop(connection);
      return;
    }
    connection.state = State.ACCEPTED;
    say(connection.peer(), Hello.ready(connection.serial(), hello.serial()));
    if (connection.isPeerReady) {
      ready(connection);
    }
  }

  private void notAccepted(Connection connection, BackendException refusal) {
    if (connection.isEnding()) {
      stop(connection);
    } else {
      connection.state = State.OFFERED; // no task of it runs
      refuse(connection, refusal);
    }
  }

  private void ready(Connection connection) {
    connection.state = State.READY;
    connecting.remove(connection.peer());
    writes.again(connection);
  }

  // ---- what comes ----

  /** What is not understood, or is of a connection that is no more, is dropped. */
  void heard(VerbsPeer from, ByteBuffer message) {
    if (message.remaining() < Hello.HEAD_BYTES || !all.contains(from)) {
      return;
    }
    byte kind = message.get();
    long serial = message.getLong();
    long meant = message.getLong();
    Connection present = from.connection;
    boolean isMeant = present != null && meant == present.serial();
    if (kind == Hello.HELLO && (isMeant || meant == 0)) {
      Hello hello = Hello.decode(serial, message);
      if (hello != null) {
        heard(from, hello);
      }
    } else if (kind == Hello.READY && present != null && isMeant) {
      peerIsReady(present, serial);
    } else if (kind == Hello.REFUSED && isMeant) {
      lose(from, 0, "the peer could not connect: " + PeerText.of(message));
    }
  }

  private void peerIsReady(Connection connection, long serial) {
    if (serial != 0 && serial == connection.peerSerial()) {
      connection.isPeerReady = true;
      if (connection.state == State.ACCEPTED) {
        ready(connection);
      }
    }
  }

  private void heard(VerbsPeer from, Hello hello) {
    Connection present = from.connection;
    if (present != null && present.peersHello != null) {
      if (present.peerSerial() == hello.serial()) {
        return;
      }
      present.isReplacedByPeer = true;
      end(present, new Failure(0, "the peer has begun its connection anew", false), false);
      present = null;
    }
    if (present == null) {
      from.heldHello = hello;
      beginIfFew(from);
      return;
    }
    present.peersHello = hello;
    if (present.state == State.OFFERED) {
      connect(present, hello);
    }
  }

  /** A peer that begins anew all the time gets no more queue pairs than these at a time. */
  private void beginIfFew(VerbsPeer peer) {
    if (peer.heldHello != null && peer.connection == null && peer.ending().size() < MOST_ENDING) {
      peer.sinceNanos = System.nanoTime();
      begin(peer);
    }
  }

  private void say(VerbsPeer to, ByteBuffer message) {
    outbox.add(new Said(to, message));
  }

  // ---- ending one ----

  /** A write was refused, or a queue pair has failed: there will be another one. */
  void replace(Connection connection, Failure why, boolean keepsRest) {
    VerbsPeer peer = connection.peer();
    end(connection, why, keepsRest);
    connect(peer);
  }

  /**
   * Ends one.
   *
   * @param keepsRest whether what has certainly not begun is posted again
   */
  private void end(Connection connection, Failure why, boolean keepsRest) {
    if (connection.isEnding()) {
      return;
    }
    VerbsPeer peer = connection.peer();
    boolean isBusy = connection.state == State.OPENING || connection.state == State.CONNECTING;
    connection.state = State.CLOSING;
    connection.end = why;
    connection.keepsRest = keepsRest;
    peer.connection = null;
    peer.ending().add(connection);
    connecting.remove(peer);
    outbox.removeIf(said -> said.to() == peer); // it was said of this one
    if (!isBusy) {
      stop(connection);
    }
  }

  private void stop(Connection connection) {
    step(connection, () -> queuePairs.stop(connection.qp), () -> {});
  }

  /** When what it had received before was read, it is destroyed; then the same once more. */
  private void drained(Connection connection, CompletionSink sink) {
    if (connection.qp == 0) {
      writes.finish(connection, sink);
      over(connection);
      return;
    }
    step(
        connection,
        () -> queuePairs.destroy(connection.qp),
        () -> {
          connection.qp = 0;
          connection.wasRefused = false;
        });
  }

  /**
   * What it has received by the end of the step is read before the next one, or before another try.
   */
  private void step(Connection connection, Runnable task, Runnable then) {
    tasks.run(
        () -> {
          task.run();
          return connection;
        },
        done -> {
          then.run();
          read(connection);
        },
        refusal -> {
          connection.wasRefused = true;
          connection.againNanos = System.nanoTime() + RETRY_NANOS;
          read(connection);
        });
  }

  private void read(Connection connection) {
    writes.mark(connection);
    draining.add(connection);
  }

  private void over(Connection connection) {
    VerbsPeer peer = connection.peer();
    peer.ending().remove(connection);
    connection.state = State.CLOSED;
    if (peer.connection == connection) {
      peer.connection = null;
      connecting.remove(peer);
    }
    List<VerbsPeer.Fence> done =
        peer.fences().stream().filter(fence -> fence.isOver(peer.ending())).toList();
    peer.fences().removeAll(done);
    done.forEach(fence -> fence.stage().complete(null));
    if (all.contains(peer)) {
      beginIfFew(peer);
    }
    Connection next = peer.ready();
    if (next != null) {
      writes.again(next);
    }
  }

  /** Gives a peer up, see {@link io.reactivetransfer.spi.Domain#disconnect}. */
  CompletionStage<Void> disconnect(VerbsPeer peer, String reason) {
    Failure why = new Failure(0, reason, false);
    Connection present = peer.connection;
    if (present != null) {
      end(present, why, false);
    }
    outbox.removeIf(said -> said.to() == peer);
    peer.loss = null;
    peer.heldHello = null;
    lost.remove(peer);
    giveUp(peer, 0, reason);
    CompletableFuture<Void> stage = new CompletableFuture<>();
    if (peer.ending().isEmpty()) {
      stage.complete(null);
    } else {
      peer.fences().add(new VerbsPeer.Fence(stage, lastSerial));
    }
    return stage;
  }

  /** The way to a peer is lost, which is reported with the next poll, or this one. */
  void lose(VerbsPeer peer, int code, String text) {
    if (peer.loss == null) {
      peer.loss = new Failure(code, text, false);
      lost.add(peer);
    }
    Connection present = peer.connection;
    if (present != null) {
      end(present, new Failure(code, text, false), false);
    }
    giveUp(peer, code, text);
  }

  /** What was kept to be posted again to a peer is not, also what a connection that ends keeps. */
  private void giveUp(VerbsPeer peer, int code, String text) {
    for (Connection ending : peer.ending()) {
      ending.isReplacedByPeer = false;
      if (ending.keepsRest) {
        ending.keepsRest = false;
        ending.end = new Failure(code, text, true);
      }
    }
    writes.giveUp(peer, code, text);
  }

  // ---- the port ----

  /** Nobody can be reached for now. */
  void portDown(String text) {
    down = text;
    for (VerbsPeer peer : List.copyOf(all)) {
      if (peer.isInUse()) {
        lose(peer, 0, text);
      }
    }
  }

  void portUp() {
    down = "";
  }

  /**
   * A queue pair has failed. If nothing is out on it, it is replaced before it is needed; if
   * something is, completions tell of it.
   *
   * @param isFatal completions may not come
   */
  void failed(long qp, boolean isFatal) {
    for (VerbsPeer peer : all) {
      Connection present = peer.connection;
      if (present == null || present.qp != qp) {
        continue;
      }
      boolean isConnected = present.isReady() || present.state == State.ACCEPTED;
      if (isConnected && present.out().isEmpty()) {
        replace(present, new Failure(0, "the connection has failed", true), true);
      } else if (isFatal) {
        lose(peer, 0, "the connection with " + peer + " has failed");
      }
      return;
    }
  }

  // ---- each turn ----

  /** Whether the next poll has something to do though nothing came. */
  boolean areDue() {
    if (!outbox.isEmpty() || !lost.isEmpty()) {
      return true;
    }
    long now = System.nanoTime();
    return draining.stream().anyMatch(each -> !each.isWaiting(now));
  }

  /** Reports losses; before the failures of the writes that they end. */
  int settle(CompletionSink sink, long now) {
    for (VerbsPeer peer : connecting.isEmpty() ? List.<VerbsPeer>of() : List.copyOf(connecting)) {
      if (now - peer.sinceNanos > connectNanos) {
        lose(peer, 0, peer + " did not connect within " + connectNanos / 1_000_000 + " ms");
      }
    }
    if (lost.isEmpty()) {
      return 0;
    }
    int reported = 0;
    for (VerbsPeer peer : List.copyOf(lost)) {
      Failure loss = peer.loss;
      if (loss != null) {
        peer.loss = null;
        sink.peerLost(peer.engine(), loss.code(), loss.text());
        reported++;
      }
    }
    lost.clear();
    return reported;
  }

  /** Goes on with those of which all was read; returns how many. */
  int drain(CompletionSink sink) {
    if (draining.isEmpty()) {
      return 0;
    }
    long now = System.nanoTime();
    List<Connection> read =
        draining.stream().filter(each -> writes.hasRead(each) && !each.isWaiting(now)).toList();
    draining.removeAll(read);
    read.forEach(connection -> drained(connection, sink));
    return read.size();
  }

  /** Has the control channel tell peers what is to be told; returns how much. */
  int speak(CompletionSink sink) {
    int told = 0;
    for (Said next = outbox.poll(); next != null; next = outbox.poll()) {
      sink.toPeer(next.to(), next.message());
      told++;
    }
    return told;
  }
}
