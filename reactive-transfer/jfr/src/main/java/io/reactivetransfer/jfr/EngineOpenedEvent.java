package io.reactivetransfer.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** See {@link EngineEvents#opened}. */
@Name("io.reactivetransfer.EngineOpened")
@Label("Engine Opened")
@Description("An engine has opened.")
@Registered
final class EngineOpenedEvent extends EngineEvent {
  @Label("Backend")
  String backend = "";
}
