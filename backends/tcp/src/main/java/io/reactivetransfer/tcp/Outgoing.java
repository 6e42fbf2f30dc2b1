package io.reactivetransfer.tcp;

import io.netty.util.collection.LongObjectHashMap;
import io.reactivetransfer.EngineId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The connections that one engine has made, over all its NICs, by the number that names each of
 * them to its target. And those that have broken, of which the target is told before anything is
 * written that went over them.
 */
final class Outgoing {

  /** The target knows of older ones: it has heard of so many since. */
  private static final int MAX_BROKEN = 64;

  private final LongObjectHashMap<OutboundLink> byNumber = new LongObjectHashMap<>();
  private final Map<EngineId, ArrayDeque<Long>> broken = new HashMap<>();

  void began(long number, OutboundLink link) {
    byNumber.put(number, link);
    broken.getOrDefault(link.peer().engine(), new ArrayDeque<>()).forEach(link::sayOver);
  }

  /** It did not end in good order. */
  void broke(EngineId target, long number) {
    ArrayDeque<Long> numbers = broken.computeIfAbsent(target, _ -> new ArrayDeque<>());
    numbers.add(number);
    if (numbers.size() > MAX_BROKEN) {
      numbers.remove();
    }
    for (OutboundLink link : List.copyOf(byNumber.values())) {
      if (link.peer().engine().equals(target)) {
        link.sayOver(number);
      }
    }
  }

  /** The session with the target is over, and so is all that belongs to it. */
  void forget(EngineId target) {
    broken.remove(target);
  }

  void ended(long number) {
    byNumber.remove(number);
  }

  /** How many are open, and of how many targets it remembers anything. */
  int size() {
    return byNumber.size() + broken.size();
  }
}
