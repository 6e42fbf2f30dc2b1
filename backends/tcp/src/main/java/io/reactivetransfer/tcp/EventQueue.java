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

  private static final int FULL = 8_192;
  private static final int ROOM = FULL / 2;

  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private final List<InboundLink> waiting = new ArrayList<>();
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

  int size() {
    return events.size();
  }

  @Nullable Event next() {
    return events.poll();
  }

  boolean isFull() {
    return events.size() >= FULL;
  }

  /** Has the link read on when there is room again. */
  void awaitRoom(InboundLink link) {
    waiting.add(link);
  }

  /** Lets those that waited read on, if there is room by now. */
  void offerRoom() {
    if (!waiting.isEmpty() && events.size() <= ROOM) {
      List<InboundLink> links = List.copyOf(waiting);
      waiting.clear();
      links.forEach(InboundLink::readOn);
    }
  }

  void clear() {
    events.clear();
    waiting.clear();
  }
}
