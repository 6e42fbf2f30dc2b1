package io.reactivetransfer.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.Timespan;

/**
 * See {@link EngineEvents#streamEnded}; failure and reason are empty if it completed or was
 * cancelled.
 */
@Name("io.reactivetransfer.StreamEnded")
@Label("Stream Ended")
@Description("A stream of transfers, or a single one, has ended.")
@Registered
final class StreamEndedEvent extends EngineEvent {
  @Label("Transfers")
  long transfers;

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Transfers not Done")
  long transfersNotDone;

  @Label("Took")
  @Timespan(Timespan.NANOSECONDS)
  long took;

  @Label("Queued")
  @Description("How much of that passed before its first piece was posted")
  @Timespan(Timespan.NANOSECONDS)
  long queued;

  @Label("Posted")
  @Description("Whether anything of it was posted")
  boolean isPosted;

  @Label("Cancelled")
  boolean isCancelled;

  @Label("Failure")
  String failure = "";

  @Label("Reason")
  String reason = "";
}
