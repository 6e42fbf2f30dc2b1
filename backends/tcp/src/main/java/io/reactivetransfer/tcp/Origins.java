package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The connections that other engines have made, over all NICs of this one. One that breaks takes no
 * other along; but what its engine writes again on another one must not be overtaken by what still
 * waits to be read on it. So the engine says on all others, first, that it is over.
 */
final class Origins {

  private final Map<EngineId, Set<InboundLink>> byEngine = new HashMap<>();

  /** This engine has made a connection. Ends an older one that was in its place. */
  void began(EngineId origin, InboundLink link) {
    Set<InboundLink> known = byEngine.computeIfAbsent(origin, _ -> new LinkedHashSet<>());
    List<InboundLink> replaced = known.stream().filter(link::replaces).toList();
    known.add(link);
    Failure why =
        ErrorCode.REPLACED.because(
            link.where() + " made a new connection; did the network hold the old one up?");
    replaced.forEach(old -> old.end(why));
  }

  /** One of its connections has ended. */
  void ended(EngineId origin, InboundLink link) {
    Set<InboundLink> links = byEngine.get(origin);
    if (links != null && links.remove(link) && links.isEmpty()) {
      byEngine.remove(origin);
    }
  }

  /** This engine says that its connection with this number is over. */
  void isOver(EngineId origin, long number) {
    Failure why = ErrorCode.BROKEN.because("the other side says that the connection is over");
    List.copyOf(byEngine.getOrDefault(origin, Set.of())).stream()
        .filter(link -> link.connection() == number)
        .forEach(link -> link.end(why));
  }

  /** Whether no connection is there. */
  boolean isEmpty() {
    return byEngine.isEmpty();
  }

  /** Ends those connections of this engine that are meant. */
  void end(EngineId origin, Predicate<InboundLink> meant, Consumer<InboundLink> ending) {
    List.copyOf(byEngine.getOrDefault(origin, Set.of())).stream().filter(meant).forEach(ending);
  }
}
