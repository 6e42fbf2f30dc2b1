package io.reactivetransfer.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** See {@link EngineEvents#closed}; the reason is empty if it was closed. */
@Name("io.reactivetransfer.EngineClosed")
@Label("Engine Closed")
@Description("An engine has closed, and its NICs touch no memory any more.")
@Registered
final class EngineClosedEvent extends EngineEvent {
  @Label("Reason")
  String reason = "";
}
