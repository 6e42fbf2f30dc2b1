package io.reactivetransfer.weights.version;

import io.reactivetransfer.Peer;
import io.reactivetransfer.weights.internal.MessageText;
import java.util.Objects;

/**
 * An inference rank, as a controller knows it.
 *
 * @param name which the rank has given itself. A name belongs to one living process at a time:
 *     whoever gives it to another one says that the one before is dead
 * @param peer its engine, as the controller's engine sees it
 */
public record RankMember(String name, Peer peer) {

  /** Checks the name. */
  public RankMember {
    MessageText.requireName(name);
    Objects.requireNonNull(peer, "peer");
  }
}
