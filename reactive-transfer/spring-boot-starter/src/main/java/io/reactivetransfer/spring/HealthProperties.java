package io.reactivetransfer.spring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the health of an engine depends on, besides the engine itself and its NICs. */
public class HealthProperties {

  /** Peers, as host:port of their control channels, without which the engine is down. */
  private List<String> peers = new ArrayList<>();

  /**
   * Whether the engine is down while a peer that it knows is lost; by default where no peers are
   * listed.
   */
  private @Nullable Boolean lostPeers;

  public List<String> getPeers() {
    return peers;
  }

  public void setPeers(List<String> peers) {
    this.peers = peers;
  }

  public @Nullable Boolean getLostPeers() {
    return lostPeers;
  }

  public void setLostPeers(@Nullable Boolean lostPeers) {
    this.lostPeers = lostPeers;
  }
}
