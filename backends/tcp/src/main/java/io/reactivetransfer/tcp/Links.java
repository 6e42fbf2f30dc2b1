package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The open connections of one engine, over all its NICs. One that breaks takes no other along; but
 * what is written again on another one must not be overtaken by what still waits to be read on it.
 * So each side says on all others, and first on new ones, that it is over.
 */
final class Links {

  /** The other side knows of older ones: it has heard of so many since. */
  private static final int MAX_BROKEN = 64;

  private final Map<EngineId, Set<Link>> byEngine = new HashMap<>();
  private final Map<EngineId, ArrayDeque<Long>> broken = new HashMap<>();

  /** It is open: nothing was written on it yet. */
  void began(EngineId engine, Link link) {
    byEngine.computeIfAbsent(engine, _ -> new LinkedHashSet<>()).add(link);
    broken.getOrDefault(engine, new ArrayDeque<>()).forEach(link::sayOver);
  }

  void ended(EngineId engine, Link link) {
    Set<Link> links = byEngine.get(engine);
    if (links != null && links.remove(link) && links.isEmpty()) {
      byEngine.remove(engine);
    }
  }

  /** One on which this side has written did not end in good order. */
  void broke(EngineId engine, long number) {
    ArrayDeque<Long> numbers = broken.computeIfAbsent(engine, _ -> new ArrayDeque<>());
    numbers.add(number);
    if (numbers.size() > MAX_BROKEN) {
      numbers.remove();
    }
    of(engine).forEach(link -> link.sayOver(number));
  }

  /** The other side says that the connection with this number is over. */
  void isOver(EngineId engine, long number) {
    Failure why = ErrorCode.BROKEN.because("the other side says that the connection is over");
    of(engine).stream().filter(link -> link.connection() == number).forEach(link -> link.end(why));
  }

  /** The session with that engine is over, and so is all that belongs to it. */
  void sessionEnded(EngineId engine) {
    Failure why = ErrorCode.GIVEN_UP.because("the session of its engine with this one is over");
    of(engine).forEach(link -> link.endWith(why, why));
    broken.remove(engine);
  }

  private List<Link> of(EngineId engine) {
    return List.copyOf(byEngine.getOrDefault(engine, Set.of()));
  }

  /** With how many engines there are any, and of how many it remembers anything. */
  int size() {
    return byEngine.size() + broken.size();
  }
}
