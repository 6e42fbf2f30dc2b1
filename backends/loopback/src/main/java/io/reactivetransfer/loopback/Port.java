package io.reactivetransfer.loopback;

import io.reactivetransfer.spi.Doorbell;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * What other NICs see of one NIC: its queues, which any thread may fill and only the NIC's own
 * thread empties, and its doorbell.
 */
final class Port {

  private final LoopbackAddress address;
  private final Doorbell doorbell;
  private final MpscVarHandleArrayQueue<InFlightWrite> inbox;
  private final MpscVarHandleArrayQueue<InFlightWrite> completions;
  private final Queue<Port> lost = new ConcurrentLinkedQueue<>();

  /**
   * A stack of the links that were refused, threaded through the links, so that it needs no memory.
   */
  private final AtomicReference<@Nullable Link> refused = new AtomicReference<>();

  /** Ports that are told when this one closes; guarded by this. */
  private final Set<Port> neighbours = new HashSet<>();

  private volatile boolean closed;

  Port(LoopbackAddress address, Doorbell doorbell, int depth) {
    this.address = address;
    this.doorbell = doorbell;
    this.inbox = new MpscVarHandleArrayQueue<>(Math.max(2, depth));
    this.completions = new MpscVarHandleArrayQueue<>(Math.max(2, depth));
  }

  LoopbackAddress address() {
    return address;
  }

  String closedText() {
    return address + " was closed";
  }

  void ring() {
    doorbell.ring();
  }

  boolean isClosed() {
    return closed;
  }

  /** Puts a write into the inbox, unless it is full. */
  boolean offer(InFlightWrite write) {
    return ringIf(inbox.offer(write));
  }

  /** Gives back one of this port's own writes, which has ended. */
  void complete(InFlightWrite write) {
    // There is room for all that can be out.
    if (!ringIf(completions.offer(write))) {
      throw new IllegalStateException("more completions than writes at " + address);
    }
  }

  private boolean ringIf(boolean offered) {
    if (offered) {
      doorbell.ring();
    }
    return offered;
  }

  /** Takes note of a link that was refused, once. */
  void remember(Link link) {
    if (!link.markRefused()) {
      return;
    }
    Link top;
    do {
      top = refused.get();
      link.setNextRefused(top);
    } while (!refused.compareAndSet(top, link));
  }

  /** Owner: there is room again. */
  void ringRefused() {
    Link link = refused.getAndSet(null);
    while (link != null) {
      Link next = link.nextRefused();
      link.ringOrigin();
      link = next;
    }
  }

  @Nullable InFlightWrite takeWrite() {
    return inbox.poll();
  }

  @Nullable InFlightWrite takeCompletion() {
    return completions.poll();
  }

  /** Owner: a port that closed; there is one as long as {@link #lostCount} was not used up. */
  Port takeLost() {
    return lost.remove();
  }

  int lostCount() {
    return lost.size();
  }

  boolean hasWork() {
    return !inbox.isEmpty() || !completions.isEmpty() || !lost.isEmpty();
  }

  /**
   * Owner: makes the other one a neighbour, and this one the other's.
   *
   * @return false if the other one is closed
   */
  boolean join(Port other) {
    synchronized (this) {
      neighbours.add(other);
    }
    if (other.welcome(this)) {
      return true;
    }
    forget(other);
    return false;
  }

  private synchronized boolean welcome(Port other) {
    if (closed) {
      return false;
    }
    neighbours.add(other);
    return true;
  }

  private synchronized void forget(Port other) {
    neighbours.remove(other);
  }

  /** Owner: takes nothing from now on, and tells each neighbour once. */
  void close() {
    for (Port neighbour : leave()) {
      neighbour.forget(this);
      neighbour.tellLost(this);
    }
  }

  private synchronized List<Port> leave() {
    closed = true;
    List<Port> left = neighbours.stream().filter(port -> port != this).toList();
    neighbours.clear();
    return left;
  }

  private void tellLost(Port other) {
    lost.add(other);
    doorbell.ring();
  }
}
