package io.reactivetransfer;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/**
 * Peers in a fixed order.
 *
 * @param peers at least one, all different, all of one engine
 */
public record PeerGroup(List<Peer> peers) {

  /** Checks and copies the list. */
  public PeerGroup {
    Objects.requireNonNull(peers, "peers");
    peers = List.copyOf(peers);
    if (peers.isEmpty()) {
      throw new IllegalArgumentException("expected at least one peer, got none");
    }
    if (new HashSet<>(peers).size() != peers.size()) {
      throw new IllegalArgumentException("expected different peers, got one of them twice");
    }
  }

  /** The group of these peers. */
  public static PeerGroup of(Peer... peers) {
    return new PeerGroup(List.of(peers));
  }

  /** How many. */
  public int size() {
    return peers.size();
  }
}
