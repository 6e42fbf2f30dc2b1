package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Doorbell;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened between two polls, in order. Bounded by not reading on: a connection that finds it
 * full stops reading until the engine has taken enough out.
 */
final class EventQueue {

  private static final int MAX_EVENTS = 8_192;

  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private final ArrayDeque<Event.Written> freeWritten = new ArrayDeque<>();
  private final ArrayDeque<Event.Landed> freeLanded = new ArrayDeque<>();
  private final List<Link> waiting = new ArrayList<>();
  private final Doorbell doorbell;

  EventQueue(Doorbell doorbell) {
    this.doorbell = doorbell;
  }

  void add(Event event) {
    if (events.isEmpty()) {
      doorbell.ring();
    }
    events.add(event);
  }

  /** A write of ours is done. */
  void written(long token) {
    Event.Written free = freeWritten.poll();
    Event.Written event = free == null ? new Event.Written() : free;
    event.token = token;
    add(event);
  }

  /** A write of another engine is in memory. */
  void landed(
      Link link, TcpMemory memory, @Nullable Staged staged, boolean hasImm, int imm, long bytes) {
    Event.Landed free = freeLanded.poll();
    Event.Landed event = free == null ? new Event.Landed() : free;
    event.link = link;
    event.memory = memory;
    event.staged = staged;
    event.hasImm = hasImm;
    event.imm = imm;
    event.bytes = bytes;
    add(event);
  }

  /** The event was dealt with, and nobody looks at it any more. */
  void recycle(Event event) {
    switch (event) {
      case Event.Written written when freeWritten.size() < MAX_EVENTS -> freeWritten.push(written);
      case Event.Landed landed when freeLanded.size() < MAX_EVENTS -> {
        landed.link = null;
        landed.memory = null;
        freeLanded.push(landed);
      }
      default -> {
        // left to the garbage collector
      }
    }
  }

  int size() {
    return events.size();
  }

  @Nullable Event next() {
    return events.poll();
  }

  boolean isFull() {
    return events.size() >= MAX_EVENTS;
  }

  /** Has the link read on when there is room again. */
  void awaitRoom(Link link) {
    waiting.add(link);
  }

  /** Lets those that waited read on, if there is room by now. */
  void offerRoom() {
    if (!waiting.isEmpty() && events.size() < MAX_EVENTS / 2) {
      List<Link> links = List.copyOf(waiting);
      waiting.clear();
      links.forEach(Link::readOn);
    }
  }

  /** Nothing of it is reported any more. */
  void clear() {
    for (Event event : events) {
      if (event instanceof Event.Landed landed) {
        var _ = Staged.settle(landed.staged);
      }
    }
    events.clear();
    waiting.clear();
  }
}
