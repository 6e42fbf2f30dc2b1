package io.reactivetransfer.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** See {@link EngineEvents#transferFailed}; the failure is the name of its exception. */
@Name("io.reactivetransfer.TransferFailed")
@Label("Transfer Failed")
@Description("A transfer has failed on its way: the first piece of it that did.")
@Registered
final class TransferFailedEvent extends PeerEvent {
  @Label("NIC")
  String nic = "";

  @Label("Failure")
  String failure = "";

  @Label("Reason")
  String reason = "";
}
