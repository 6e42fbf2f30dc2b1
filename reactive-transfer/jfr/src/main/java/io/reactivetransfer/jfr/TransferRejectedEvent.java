package io.reactivetransfer.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** See {@link EngineEvents#transferRejected}. */
@Name("io.reactivetransfer.TransferRejected")
@Label("Transfer Rejected")
@Description("A transfer was rejected, and nothing of it was posted.")
@Registered
final class TransferRejectedEvent extends EngineEvent {
  @Label("Failure")
  String failure = "";

  @Label("Reason")
  String reason = "";
}
