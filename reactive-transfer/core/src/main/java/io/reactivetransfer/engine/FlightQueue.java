package io.reactivetransfer.engine;

import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The flights to one peer that have pieces to post. Those of one stream wait in a lane, in order,
 * and the lanes take turns: a small write waits for one flight of each other stream, not for all
 * that these have handed over. A flight can leave from anywhere.
 */
final class FlightQueue {

  /** Whose flights take turns with those of others. */
  interface Stream {

    /** The lane that its flights waited in last, or null. */
    @Nullable Lane lane();

    /** Remembers that. */
    void lane(@Nullable Lane lane);

    /** Whether its flights have waited for more than one peer. */
    boolean isSpread();

    /** Remembers that they have. */
    void spread();
  }

  /** What waits of one stream; in a ring with the others. Reused. */
  static final class Lane {
    private final FlightQueue queue;
    private @Nullable Stream stream;
    private @Nullable Flight head;
    private @Nullable Flight tail;
    private Lane previous = this;
    private Lane next = this;

    Lane(FlightQueue queue) {
      this.queue = queue;
    }
  }

  /** Whose turn it is. */
  private @Nullable Lane turn;

  /** Lanes that nobody uses, by their next. */
  private @Nullable Lane unused;

  /** The lanes here of streams to several peers, which remember one lane only. */
  private final IdentityHashMap<Stream, Lane> ofSpread = new IdentityHashMap<>(1);

  boolean isEmpty() {
    return turn == null;
  }

  @Nullable Flight peek() {
    return turn == null ? null : turn.head;
  }

  void add(Flight flight, Stream stream) {
    Lane lane = laneOf(stream);
    flight.lane = lane;
    append(lane, flight);
  }

  void remove(Flight flight) {
    Lane lane = flight.lane;
    if (lane == null) {
      return;
    }
    flight.lane = null;
    unlink(lane, flight);
    if (lane.head == null) {
      end(lane);
    }
  }

  /** Lets the others of its stream go first, and the other streams before these. */
  void rotate(Flight flight) {
    Lane lane = flight.lane;
    if (lane != null) {
      turn = lane.next;
      if (flight != lane.tail) {
        unlink(lane, flight);
        append(lane, flight);
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // the very same stream
  private Lane laneOf(Stream stream) {
    Lane last = stream.lane();
    if (last != null && last.queue == this) {
      return last;
    }
    if (last != null && !stream.isSpread()) {
      stream.spread();
      last.queue.ofSpread.put(stream, last);
    }
    Lane lane = stream.isSpread() ? ofSpread.get(stream) : null;
    return lane == null ? begin(stream) : lane;
  }

  private Lane begin(Stream stream) {
    Lane lane = unused;
    if (lane == null) {
      lane = new Lane(this);
    } else {
      unused = lane.next == lane ? null : lane.next;
    }
    if (turn == null) {
      lane.previous = lane;
      lane.next = lane;
      turn = lane;
    } else {
      lane.previous = turn.previous;
      lane.next = turn;
      turn.previous.next = lane;
      turn.previous = lane;
    }
    lane.stream = stream;
    stream.lane(lane);
    if (stream.isSpread()) {
      ofSpread.put(stream, lane);
    }
    return lane;
  }

  private void end(Lane lane) {
    if (lane.next == lane) {
      turn = null;
    } else {
      lane.previous.next = lane.next;
      lane.next.previous = lane.previous;
      turn = turn == lane ? lane.next : turn;
    }
    Stream stream = lane.stream;
    if (stream != null) {
      if (stream.isSpread()) {
        ofSpread.remove(stream);
      }
      if (stream.lane() == lane) {
        stream.lane(null);
      }
    }
    lane.stream = null;
    lane.next = unused == null ? lane : unused;
    unused = lane;
  }

  private static void append(Lane lane, Flight flight) {
    flight.following = null;
    flight.previous = lane.tail;
    if (lane.tail == null) {
      lane.head = flight;
    } else {
      lane.tail.following = flight;
    }
    lane.tail = flight;
  }

  private static void unlink(Lane lane, Flight flight) {
    if (flight.previous == null) {
      lane.head = flight.following;
    } else {
      flight.previous.following = flight.following;
    }
    if (flight.following == null) {
      lane.tail = flight.previous;
    } else {
      flight.following.previous = flight.previous;
    }
    flight.previous = null;
    flight.following = null;
  }
}
