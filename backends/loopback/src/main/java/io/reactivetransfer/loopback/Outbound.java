package io.reactivetransfer.loopback;

import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * The origin side of one NIC: takes writes over, and reports how they ended. Belongs to the NIC's
 * thread.
 */
final class Outbound {

  private final LoopbackNetwork network;
  private final Port port;
  private final long maxWriteBytes;
  private final InFlightWrite[] writes;
  private final InFlightWrite[] free;
  private int freeCount;
  private final Map<Port, Link> links = new HashMap<>();
  private final Queue<Link> ending = new ArrayDeque<>();

  Outbound(LoopbackNetwork network, Port port, int depth, long maxWriteBytes) {
    this.network = network;
    this.port = port;
    this.maxWriteBytes = maxWriteBytes;
    this.writes = new InFlightWrite[depth];
    this.free = new InFlightWrite[depth];
    for (int i = 0; i < depth; i++) {
      writes[i] = new InFlightWrite(port);
      free[freeCount++] = writes[i];
    }
  }

  PostResult post(Operation op) {
    if (freeCount == 0) {
      return PostResult.NIC_BUSY; // the completion that makes room rings
    }
    LoopbackMemory source = (LoopbackMemory) op.local();
    LoopbackTarget target = (LoopbackTarget) op.remote();
    Link link = linkTo(target.peer());
    InFlightWrite write = free[--freeCount];
    write.fill(op, source, target, link);
    if (op.length() > maxWriteBytes) {
      return failAtOnce(write, "expected at most " + maxWriteBytes + " bytes, got " + op.length());
    }
    if (!Ranges.within(op.localOffset(), op.localExtent(), source.length())) {
      return failAtOnce(
          write,
          Ranges.describe(op.localOffset(), op.localExtent(), source.length()) + " (source)");
    }
    if (!link.carry(write)) {
      giveBack(write);
      return PostResult.PEER_BUSY;
    }
    return PostResult.TAKEN;
  }

  private PostResult failAtOnce(InFlightWrite write, String text) {
    write.fail(WriteError.SOURCE_RANGE, text);
    port.complete(write);
    return PostResult.TAKEN;
  }

  /** Reports what has ended. */
  int complete(CompletionSink sink) {
    int completed = 0;
    InFlightWrite write = port.takeCompletion();
    // The bound keeps one poll finite if each report leads to a write that fails at once.
    while (write != null) {
      report(write, sink);
      completed++;
      write = completed < writes.length ? port.takeCompletion() : null;
    }
    return completed;
  }

  private void report(InFlightWrite write, CompletionSink sink) {
    long token = write.token();
    WriteError error = write.error();
    String text = write.errorText();
    giveBack(write);
    if (error == null) {
      sink.written(token);
    } else if (error == WriteError.UNKNOWN_END) {
      sink.failed(token, error.code, text); // its bytes may come yet
    } else {
      sink.refused(token, error.code, text); // one that fails here is never counted
    }
  }

  private void giveBack(InFlightWrite write) {
    write.clear();
    free[freeCount++] = write;
  }

  /**
   * Reports lost peers, and fails what was out to them.
   *
   * @param closedPorts how many of those in the port's queue to handle
   */
  int loseLinks(CompletionSink sink, int closedPorts) {
    int lost = 0;
    // Both are counted first, so that one poll is finite if a report leads to another try.
    for (int left = ending.size(); left > 0; left--) {
      lose(ending.remove(), sink);
      lost++;
    }
    for (int left = closedPorts; left > 0; left--) {
      loseTarget(port.takeLost(), sink);
      lost++;
    }
    return lost;
  }

  private void loseTarget(Port closed, CompletionSink sink) {
    Link link = links.remove(closed);
    if (link != null) {
      lose(link, sink);
    } else {
      // It has written here, and nothing was ever sent to it.
      sink.peerLost(closed.address().engine(), 0, closed.closedText());
    }
  }

  boolean hasLosses() {
    return !ending.isEmpty();
  }

  private void lose(Link link, CompletionSink sink) {
    link.lose();
    sink.peerLost(link.engine(), 0, link.lossText());
    for (int i = 0; i < writes.length; i++) {
      InFlightWrite write = writes[i];
      if (write.isOver(link) && write.abandon()) {
        // A new one takes its place: the old one may still lie in a queue of the other side.
        writes[i] = new InFlightWrite(port);
        free[freeCount++] = writes[i];
        sink.refused(write.token(), WriteError.PEER_LOST.code, link.lossText());
      }
    }
  }

  /** Gives a target up: what is out to it is taken back in the next poll. */
  void disconnect(LoopbackPeer peer, String reason) {
    Port target = network.find(peer.address());
    Link link = links.remove(target); // of one that has closed, the loss is on its way
    if (link != null) {
      link.giveUp(reason);
      ending.add(link);
      port.ring();
    }
  }

  /** Takes back all that is out. When it returns, no source is read any more. */
  void abandonAll() {
    for (InFlightWrite write : writes) {
      write.abandon();
    }
  }

  private Link linkTo(LoopbackPeer peer) {
    Link link = peer.link();
    if (link == null || link.isLost()) {
      link = connect(peer);
      peer.use(link);
    }
    return link;
  }

  private Link connect(LoopbackPeer peer) {
    LoopbackAddress address = peer.address();
    if (!address.engine().equals(peer.engine())) {
      return leadNowhere(
          peer, "another engine than " + peer.engine().toShortString() + " is at " + address);
    }
    Port target = network.find(address);
    if (target == null) {
      return leadNowhere(
          peer, "nobody is at " + address + ": closed, or in another JVM or network");
    }
    Link known = links.get(target);
    if (known != null) {
      return known;
    }
    if (!port.join(target)) {
      return leadNowhere(peer, target.closedText());
    }
    Link link = Link.between(port, target);
    links.put(target, link);
    return link;
  }

  private Link leadNowhere(LoopbackPeer peer, String why) {
    Link link = Link.toNobody(port, peer.engine(), why);
    ending.add(link);
    port.ring();
    return link;
  }
}
