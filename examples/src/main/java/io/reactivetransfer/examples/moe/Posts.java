package io.reactivetransfer.examples.moe;

import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeMemory.Section;
import io.reactivetransfer.moe.MoeShape;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * When the NICs of one rank took the writes of a step on the first lane. Written by the engine's
 * thread, and read when all halves of the step have ended.
 */
final class Posts {

  /** Moments of {@link System#nanoTime()} of the writes of one exchange. */
  static final class Moments {
    private boolean isPosted;
    private long turn;
    private long first;
    private long last;

    /** When the turn began in which the first was posted; that moment itself if no turn is seen. */
    long turn() {
      return turn;
    }

    /** When a NIC had taken the first. */
    long first() {
      return first;
    }

    /** When a NIC had taken the last. */
    long last() {
      return last;
    }
  }

  private final Moments routes = new Moments();
  private final Moments results = new Moments();
  private final long row;
  private final long firstResult;
  private final long returned;
  private final Set<LocalMemory> others = ConcurrentHashMap.newKeySet();
  private boolean areTurnsSeen;
  private long turn;

  /** Of a rank whose group writes from memory of this shape. */
  Posts(MoeShape shape, int rank) {
    MoeMemory memory = shape.memory(rank);
    row = memory.offset(0, Section.OWN_ROW);
    firstResult = memory.offset(0, Section.RESULTS); // or, with none there, where blocks begin
    returned = memory.offset(0, Section.RETURNED);
  }

  /** The next step; nothing of the one before is still to be posted. */
  void begin() {
    routes.isPosted = false;
    results.isPosted = false;
  }

  Moments routes() {
    return routes;
  }

  Moments results() {
    return results;
  }

  /** Whether it is seen when a turn of the engine begins, which needs a loop of the backend's. */
  boolean areTurnsSeen() {
    return areTurnsSeen;
  }

  /** A turn begins. */
  void turnBegins() {
    areTurnsSeen = true;
    turn = System.nanoTime();
  }

  /** A NIC has registered memory that is not the group's. */
  void ofOthers(LocalMemory memory) {
    others.add(memory);
  }

  /** A NIC has taken a write. */
  void taken(Operation write) {
    if (others.contains(write.local())) {
      return; // of tokens
    }
    long from = write.localOffset();
    if (from == row && write.length() > 0) { // without bytes it is of a step that is refused
      note(routes);
    } else if (from >= firstResult && from <= returned) {
      note(results);
    }
  }

  private void note(Moments of) {
    long now = System.nanoTime();
    if (!of.isPosted) {
      of.isPosted = true;
      of.turn = areTurnsSeen ? turn : now;
      of.first = now;
    }
    of.last = now;
  }
}
