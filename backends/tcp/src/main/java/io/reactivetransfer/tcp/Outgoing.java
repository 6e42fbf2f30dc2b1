package io.reactivetransfer.tcp;

import io.netty.util.collection.LongObjectHashMap;
import io.reactivetransfer.EngineId;

/**
 * The connections that one engine has made, over all its NICs, by the number that names each of
 * them to its target: what that writes to this engine can say what it has settled.
 */
final class Outgoing {

  private final LongObjectHashMap<OutboundLink> byNumber = new LongObjectHashMap<>();

  void began(long number, OutboundLink link) {
    byNumber.put(number, link);
  }

  void ended(long number) {
    byNumber.remove(number);
  }

  /** How many are open. */
  int size() {
    return byNumber.size();
  }

  /**
   * This engine has settled so many writes of the connection with this number, and refused some of
   * them; says nothing of one that has ended, or that leads elsewhere.
   */
  void settled(EngineId target, long number, long count, long refusals) {
    OutboundLink link = byNumber.get(number);
    if (link != null && link.peer().engine().equals(target)) {
      link.settledElsewhere(count, refusals);
    }
  }
}
