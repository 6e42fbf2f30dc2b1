package io.reactivetransfer.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** See {@link EngineEvents#defect}. */
@Name("io.reactivetransfer.Defect")
@Label("Defect")
@Description("Something has come from a NIC or a peer that must not come; it was survived.")
@Registered
final class DefectEvent extends EngineEvent {
  @Label("Text")
  String text = "";
}
