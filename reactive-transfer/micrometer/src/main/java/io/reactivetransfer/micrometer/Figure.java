package io.reactivetransfer.micrometer;

import io.reactivetransfer.TrafficStats;
import java.util.EnumSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** What only grows, of one NIC or one peer alike, or of a peer alone. */
enum Figure {
  WRITES("writes", null, "pieces that were posted", TrafficStats::writesPosted),
  SENT("sent", Meters.BYTES, "bytes of the pieces that were posted", TrafficStats::bytesPosted),
  FAILED(
      "writes.failed",
      null,
      "pieces that were reported as failed, posted again or not",
      TrafficStats::writesFailed),
  AGAIN(
      "writes.again",
      null,
      "pieces whose way was lost, and that were posted again",
      TrafficStats::writesPostedAgain),
  REFUSALS(
      "refusals",
      null,
      "how often a piece was not taken over, because the NIC or the peer was busy",
      TrafficStats::refusals),
  ARRIVALS(
      "arrivals",
      null,
      "pieces with an immediate that came, as far as the NIC names origins where it is of a peer",
      TrafficStats::arrivals),
  ARRIVALS_BYTES(
      "arrivals.bytes",
      Meters.BYTES,
      "bytes of those pieces, as far as the NIC is told how long they were",
      TrafficStats::bytesArrived),
  ABORTS_SENT(
      "aborts.sent",
      null,
      "how often it was told to take back what it has counted, as a transfer was not done",
      TrafficStats::abortsSent),
  ABORTS_RECEIVED(
      "aborts.received",
      null,
      "how often it has told this engine to take back what was counted",
      TrafficStats::abortsReceived),
  MESSAGES_SENT(
      "messages.sent",
      null,
      "messages to it whose last byte the control channel has taken over",
      TrafficStats::messagesSent),
  MESSAGES_SENT_BYTES(
      "messages.sent.bytes",
      Meters.BYTES,
      "bytes of the messages that were sent to it",
      TrafficStats::messageBytesSent),
  MESSAGES_RECEIVED(
      "messages.received",
      null,
      "messages of it that have come, whether or not the application has taken them",
      TrafficStats::messagesReceived),
  MESSAGES_RECEIVED_BYTES(
      "messages.received.bytes",
      Meters.BYTES,
      "bytes of the messages of it that have come",
      TrafficStats::messageBytesReceived);

  /** All of them. */
  static final Figure[] ALL = values();

  /** Those of NICs, which come first. */
  static final Figure[] OF_NICS = EnumSet.range(WRITES, ARRIVALS_BYTES).toArray(Figure[]::new);

  final String meter;
  final @Nullable String unit;
  final String description;

  @SuppressWarnings("ImmutableEnumChecker") // only method references
  final ToLongFunction<TrafficStats> of;

  Figure(String meter, @Nullable String unit, String description, ToLongFunction<TrafficStats> of) {
    this.meter = meter;
    this.unit = unit;
    this.description = description;
    this.of = of;
  }
}
