package io.reactivetransfer.spring;

import java.util.ArrayList;
import java.util.List;

/** What the health of an engine depends on, besides the engine itself and its NICs. */
public class HealthProperties {

  /** Peers, as host:port of their control channels, without which the engine is down. */
  private List<String> peers = new ArrayList<>();

  /** Whether the engine is down while any peer that it knows is lost; by default it is not. */
  private boolean lostPeers;

  public List<String> getPeers() {
    return peers;
  }

  public void setPeers(List<String> peers) {
    this.peers = peers;
  }

  public boolean isLostPeers() {
    return lostPeers;
  }

  public void setLostPeers(boolean lostPeers) {
    this.lostPeers = lostPeers;
  }
}
