package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerUnreachableException;

/** What becomes of peers, for whoever has something of theirs. Told on the NIC thread. */
public interface PeerEvents {

  /** It has greeted: it can be written to. */
  default void opened(PeerLink peer) {}

  /** Other NICs than before lead to it. */
  default void rerouted(PeerLink peer) {}

  /** All ways to it that were lost are shut: what had been posted there never comes any more. */
  default void shut(PeerLink peer) {}

  /** It is gone: everything ends that waits for it. */
  default void lost(PeerLink peer, PeerUnreachableException loss) {}

  /** It has forgotten this engine, and greets as if for the first time. */
  default void begunAnew(PeerLink peer, PeerUnreachableException reason) {}

  /** This engine forgets it. */
  default void forgotten(PeerLink peer, PeerUnreachableException reason) {}

  /** An engine is gone that has only written here. */
  default void strangerLost(EngineId id) {}
}
