package io.reactivetransfer.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** See {@link EngineEvents#peerLost}. */
@Name("io.reactivetransfer.PeerLost")
@Label("Peer Lost")
@Description("A peer was lost, or was not there when it was needed.")
@Registered
final class PeerLostEvent extends PeerEvent {
  @Label("Reason")
  String reason = "";
}
