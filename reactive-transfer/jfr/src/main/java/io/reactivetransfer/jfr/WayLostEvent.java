package io.reactivetransfer.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** See {@link EngineEvents#wayLost}. */
@Name("io.reactivetransfer.WayLost")
@Label("Way Lost")
@Description("A NIC has lost its way to a peer.")
@Registered
final class WayLostEvent extends PeerEvent {
  @Label("NIC")
  String nic = "";

  @Label("Reason")
  String reason = "";
}
