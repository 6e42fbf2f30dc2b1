package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ibverbs.Connection.State;
import io.reactivetransfer.ibverbs.QueuePairs.Made;
import io.reactivetransfer.ibverbs.VerbsPeer.Request;
import io.reactivetransfer.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * The connections by which peers write: made when one asks, at most one for each peer. Who asks
 * anew has no use any more for the one before.
 */
final class Incoming {

  /** Of one peer: so long as more are being ended, none is begun. */
  private static final int MOST_ENDING = 2;

  private final QueuePairs queuePairs;
  private final Tasks tasks;
  private final CompletionReader reader;
  private final SendSlots slots;
  private final Endings endings;
  private final Outbox outbox;

  /** Why nobody is taken in any more; empty as long as peers are. */
  private String shut = "";

  Incoming(
      QueuePairs queuePairs,
      Tasks tasks,
      CompletionReader reader,
      SendSlots slots,
      Endings endings,
      Outbox outbox) {
    this.queuePairs = queuePairs;
    this.tasks = tasks;
    this.reader = reader;
    this.slots = slots;
    this.endings = endings;
    this.outbox = outbox;
  }

  /** A peer asks for a queue pair that receives what it writes. */
  void requested(VerbsPeer peer, long serial, SetUp.QueuePair from) {
    Connection present = peer.incoming;
    if (present != null && present.serial() == serial) {
      return;
    }
    if (present != null) {
      end(present, "the peer has begun its connection anew");
    }
    if (!shut.isEmpty()) {
      outbox.add(peer, SetUp.reject(serial, shut));
      return;
    }
    peer.request = new Request(serial, from);
    beginIfFew(peer);
  }

  /** Whoever asks from now on is refused. */
  void shut(String text) {
    shut = text;
  }

  /** A peer that begins anew all the time gets no more queue pairs than these at a time. */
  void beginIfFew(VerbsPeer peer) {
    Request request = peer.request;
    long ending = peer.ending().stream().filter(Connection::isIncoming).count();
    if (request != null && peer.incoming == null && ending < MOST_ENDING) {
      peer.request = null;
      begin(peer, request);
    }
  }

  private void begin(VerbsPeer peer, Request request) {
    Connection connection = Connection.incoming(peer, request.serial(), slots);
    peer.incoming = connection;
    tasks.run(
        queuePairs::makeForReceiving,
        made -> made(connection, made, request.from()),
        refusal -> notMade(connection, refusal));
  }

  private void made(Connection connection, Made made, SetUp.QueuePair from) {
    connection.made(made);
    reader.know(connection);
    if (connection.isEnding()) {
      endings.stop(connection);
      return;
    }
    connection.state = State.CONNECTING;
    tasks.run(
        () -> {
          connection.mayBeConnected = true; // seen by the NIC's thread with the end of the task
          queuePairs.connectForReceiving(made.qp(), made.psn(), connection.peer().address(), from);
          return made;
        },
        connected -> connected(connection, connected),
        refusal -> notConnected(connection, refusal));
  }

  private void connected(Connection connection, Made made) {
    connection.hasReceived = true;
    if (connection.isEnding()) {
      endings.stop(connection);
      return;
    }
    connection.state = State.READY;
    outbox.add(connection, SetUp.reply(connection.serial(), queuePairs.nameOf(made)));
  }

  private void notConnected(Connection connection, BackendException refusal) {
    if (connection.isEnding()) {
      endings.stop(connection);
    } else {
      connection.state = State.REQUESTED; // no task of it runs
      reject(connection, refusal);
      end(connection, String.valueOf(refusal.getMessage()));
    }
  }

  private void notMade(Connection connection, BackendException refusal) {
    if (!connection.isEnding()) {
      reject(connection, refusal);
    }
    endings.over(connection); // there is no queue pair
  }

  /** The peer is told, so that it waits no longer. */
  private void reject(Connection connection, BackendException refusal) {
    String text = String.valueOf(refusal.getMessage());
    outbox.add(connection.peer(), SetUp.reject(connection.serial(), text));
  }

  private void end(Connection connection, String reason) {
    endings.end(connection, new Failure(0, reason, false), false);
  }

  /** The engine gives a peer up: nothing comes from it any more, and it is told to begin anew. */
  void giveUp(VerbsPeer peer, String reason) {
    disconnect(peer, peer.incoming, reason);
    Request request = peer.request;
    if (request != null) {
      peer.request = null;
      outbox.add(peer, SetUp.disconnect(request.serial()));
    }
  }

  /** Its queue pair has failed, which the peer need not see before it writes again. */
  void failed(Connection connection) {
    disconnect(connection.peer(), connection, "the connection has failed");
  }

  private void disconnect(VerbsPeer peer, @Nullable Connection connection, String reason) {
    if (connection != null) {
      end(connection, reason);
      outbox.add(peer, SetUp.disconnect(connection.serial()));
    }
  }
}
