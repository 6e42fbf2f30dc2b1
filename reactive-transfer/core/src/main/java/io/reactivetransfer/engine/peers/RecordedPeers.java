package io.reactivetransfer.engine.peers;

import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.engine.base.Recording;

/**
 * Tells the recorder of an engine what becomes of its peers.
 *
 * @param recording by which
 */
public record RecordedPeers(Recording recording) implements PeerEvents {

  @Override
  public void opened(PeerLink peer) {
    recording.tell(recorder -> recorder.peerFound(peer));
  }

  @Override
  public void lost(PeerLink peer, PeerUnreachableException loss) {
    recording.tell(recorder -> recorder.peerLost(peer, loss));
  }
}
