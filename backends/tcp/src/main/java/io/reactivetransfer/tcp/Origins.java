package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The connections that other engines have made, over all NICs of this one. Those of one engine
 * share their fate: when one breaks, or is replaced, its engine has begun anew or is about to, and
 * what waits to be read on the others is of the past. It must not land later than what the engine
 * writes from then on.
 */
final class Origins {

  private final Map<EngineId, Set<InboundLink>> byEngine = new HashMap<>();

  /** This engine has made a connection. Ends the older ones, if one of them was in its place. */
  void began(EngineId origin, InboundLink link) {
    Set<InboundLink> known = byEngine.get(origin);
    if (known != null && known.stream().anyMatch(link::replaces)) {
      end(
          origin,
          ErrorCode.REPLACED.because(
              link.where() + " made a new connection; did the network hold the old one up?"));
    }
    byEngine.computeIfAbsent(origin, _ -> new LinkedHashSet<>()).add(link);
  }

  /** One of its connections has ended: the others end too, unless it leaves in good order. */
  void ended(EngineId origin, InboundLink link, Failure why) {
    Set<InboundLink> links = byEngine.get(origin);
    if (links != null) {
      links.remove(link);
      if (links.isEmpty()) {
        byEngine.remove(origin);
      } else if (why.code() != ErrorCode.CLOSED.value) {
        end(origin, why);
      }
    }
  }

  /** What was told this engine on a connection that has ended may not have come there. */
  void acknowledgeAgain(EngineId origin) {
    byEngine.getOrDefault(origin, Set.of()).forEach(InboundLink::acknowledgeAgain);
  }

  /** Whether no connection is there. */
  boolean isEmpty() {
    return byEngine.isEmpty();
  }

  /** Ends all connections that this engine has made. */
  void end(EngineId origin, Failure why) {
    end(origin, link -> link.end(why));
  }

  /** The same, each of them in this way. */
  void end(EngineId origin, Consumer<InboundLink> ending) {
    Set<InboundLink> links = byEngine.remove(origin);
    if (links != null) {
      links.forEach(ending);
    }
  }
}
