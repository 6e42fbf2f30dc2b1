package io.reactivetransfer.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.Timespan;

/** See {@link EngineEvents#stalled}. */
@Name("io.reactivetransfer.NicThreadStalled")
@Label("NIC Thread Stalled")
@Description("One turn of a NIC's thread took longer than the engine's threshold.")
@Registered
final class NicThreadStalledEvent extends EngineEvent {
  @Label("Took")
  @Timespan(Timespan.NANOSECONDS)
  long took;
}
