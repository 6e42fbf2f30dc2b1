package io.reactivetransfer.ibverbs;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * The NICs of other engines, and what there is with each: a connection for own writes and one for
 * those of the peer. What concerns one of the two leaves the other alone.
 */
final class Connections {

  private final Writes writes;
  private final Endings endings;
  private final Outgoing outgoing;
  private final Incoming incoming;
  private final Outbox outbox = new Outbox();
  private final Set<VerbsPeer> all = new LinkedHashSet<>();

  /**
   * With none yet.
   *
   * @param connectNanos how long a peer may take to connect
   */
  Connections(
      QueuePairs queuePairs,
      Tasks tasks,
      Writes writes,
      CompletionReader reader,
      long connectNanos) {
    this.writes = writes;
    endings = new Endings(queuePairs, tasks, reader, outbox, this::hasOneLess);
    outgoing = new Outgoing(queuePairs, tasks, writes, endings, outbox, connectNanos);
    incoming = new Incoming(queuePairs, tasks, reader, writes.slots(), endings, outbox);
  }

  Outgoing outgoing() {
    return outgoing;
  }

  VerbsPeer resolve(EngineId engine, VerbsAddress address) {
    VerbsPeer peer = new VerbsPeer(engine, address, writes.slots());
    all.add(peer);
    return peer;
  }

  /** Forgets a peer to which nothing is out. */
  void release(VerbsPeer peer) {
    CompletionStage<Void> ignored = disconnect(peer, "the peer was released");
    outbox.drop(peer);
    peer.released();
    all.remove(peer);
  }

  /** What is not understood, or is of a connection that is no more, is dropped. */
  void heard(VerbsPeer from, ByteBuffer message) {
    if (message.remaining() < SetUp.HEAD_BYTES || from.isReleased()) {
      return;
    }
    byte kind = message.get();
    long serial = message.getLong();
    switch (kind) {
      case SetUp.REQUEST, SetUp.REPLY -> {
        SetUp.QueuePair queuePair = SetUp.QueuePair.decode(message);
        if (queuePair != null && kind == SetUp.REQUEST) {
          incoming.requested(from, serial, queuePair);
        } else if (queuePair != null) {
          outgoing.replied(from, serial, queuePair);
        }
      }
      case SetUp.REJECT -> outgoing.rejected(from, serial, PeerText.of(message));
      case SetUp.DISCONNECT -> {
        if (!message.hasRemaining()) {
          outgoing.disconnected(from, serial);
        }
      }
      default -> {
        // of a later release
      }
    }
  }

  /** Gives a peer up, see {@link io.reactivetransfer.spi.Domain#disconnect}. */
  CompletionStage<Void> disconnect(VerbsPeer peer, String reason) {
    outgoing.giveUp(peer, new Failure(0, reason, false));
    incoming.giveUp(peer, reason);
    return endings.fence(peer);
  }

  /** One of the connections with a peer has ended. */
  private void hasOneLess(VerbsPeer peer) {
    if (!peer.isReleased()) {
      incoming.beginIfFew(peer);
    }
    Connection next = peer.ready();
    if (next != null) {
      writes.again(next);
    } else if (!peer.again().isEmpty()) {
      outgoing.connect(peer); // unless that was begun: the last one may have ended without a next
    }
  }

  /** Nobody can be reached for now. */
  void portDown(String text) {
    outgoing.portDown(text, List.copyOf(all));
  }

  /** This NIC can do nothing any more: nobody's writes are taken in. */
  void shut(String text) {
    incoming.shut(text);
    all.forEach(peer -> incoming.giveUp(peer, text));
  }

  /** Whether something may still come by a connection of a peer. */
  boolean haveIncoming() {
    return endings.haveIncoming();
  }

  void portUp() {
    outgoing.portUp(all);
  }

  /**
   * A queue pair has failed. If nothing is out on it, it is replaced before it is needed; if
   * something is, completions tell of it.
   *
   * @param isFatal completions may not come
   */
  void failed(long qp, boolean isFatal) {
    for (VerbsPeer peer : all) {
      if (peer.outgoing != null && peer.outgoing.qp == qp) {
        outgoing.failed(peer.outgoing, isFatal);
        return;
      }
      if (peer.incoming != null && peer.incoming.qp == qp) {
        incoming.failed(peer.incoming);
        return;
      }
    }
  }

  /** A queue pair that receives takes no more of the shared receives. */
  void hasTakenLastReceive(long qp) {
    for (VerbsPeer peer : all) {
      if (peer.incoming != null && peer.incoming.qp == qp) {
        endings.hasTakenLastReceive(peer.incoming);
        return;
      }
    }
    endings.hasTakenLastReceive(qp);
  }

  /** Whether the device is expected to say something. */
  boolean awaitEvents() {
    return endings.awaitEvents();
  }

  /** Whether the next poll has something to do though nothing came. */
  boolean areDue(long now) {
    return !outbox.isEmpty() || outgoing.areDue(now) || endings.areDue(now);
  }

  /** Reports losses; before the failures of the writes that they end. */
  int settle(CompletionSink sink, long now) {
    return outgoing.settle(sink, now);
  }

  /** Goes on with those that end; returns how many. */
  int drain(CompletionSink sink) {
    return endings.drain(sink);
  }

  /** Has the control channel tell peers what is to be told; returns how much. */
  int speak(CompletionSink sink) {
    return outbox.send(sink);
  }
}
