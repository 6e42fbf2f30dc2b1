package io.reactivetransfer.engine.origin;

import io.reactivetransfer.engine.base.Chain;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/** The lanes of one stream that have flights: one for each peer. Most streams write to one peer. */
final class Lanes {

  private final Chain<Lane> all = new Chain<>();
  private @Nullable Lane latest;
  private @Nullable IdentityHashMap<Outbound, Lane> byPeer; // once there were several

  Chain.@Nullable Link<Lane> first() {
    return all.first();
  }

  /** The flights of it that began last, or null. */
  @Nullable Run run() {
    return latest == null ? null : latest.run;
  }

  /** The one to this peer, or null. */
  @Nullable Lane to(Outbound peer) {
    Lane lane = latest;
    if (lane == null || !lane.leadsTo(peer)) {
      lane = byPeer == null ? null : byPeer.get(peer);
      latest = lane == null ? latest : lane;
    }
    return lane;
  }

  void add(Lane lane) {
    if (byPeer == null && latest != null) {
      byPeer = new IdentityHashMap<>(2);
      byPeer.put(latest.to(), latest);
    }
    if (byPeer != null) {
      byPeer.put(lane.to(), lane);
    }
    all.add(lane.ofSubmission);
    latest = lane;
  }

  @SuppressWarnings("ReferenceEquality") // the very same lane
  void remove(Lane lane) {
    if (byPeer != null) {
      byPeer.remove(lane.to());
    }
    all.remove(lane.ofSubmission);
    latest = latest == lane ? null : latest;
  }
}
