package io.reactivetransfer.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** See {@link EngineEvents#nicFailed}. */
@Name("io.reactivetransfer.NicFailed")
@Label("NIC Failed")
@Description("A NIC has failed, and is not used any more.")
@Registered
final class NicFailedEvent extends EngineEvent {
  @Label("NIC")
  String nic = "";

  @Label("Reason")
  String reason = "";
}
