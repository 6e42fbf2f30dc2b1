package io.reactivetransfer.examples.observe;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import jdk.jfr.consumer.RecordedEvent;

/**
 * An event of an engine.
 *
 * @param at when it was
 * @param name without the package
 * @param engine whose it is
 * @param fields the others that say something
 */
record EngineEvent(Instant at, String name, String engine, String fields) {

  private static final String PREFIX = "io.reactivetransfer.";
  private static final String STREAM_ENDED = "StreamEnded";
  private static final String STALLED = "NicThreadStalled";

  /** Those that say something of trouble, in the order in which they are shown. */
  private static final List<String> SHOWN =
      List.of("address", "nic", "took", "transfersNotDone", "failure", "reason", "text");

  /** A text that is longer is cut, so that lines are not too long. */
  private static final int MAX_TEXT = 120;

  /** Whether it is such a type. */
  static boolean isOne(EventType type) {
    return type.getName().startsWith(PREFIX);
  }

  /** As it was recorded. */
  static EngineEvent of(RecordedEvent event, Names names, Stacks stacks) {
    String name = event.getEventType().getName().substring(PREFIX.length());
    String fields =
        SHOWN.stream()
            .filter(event::hasField)
            .map(field -> field(event, field, names))
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining(" "));
    return new EngineEvent(
        event.getStartTime(),
        name,
        names.in(Objects.toString(event.getValue("engine"))),
        name.equals(STALLED) ? fields + stacks.during(event) : fields);
  }

  /** Durations in milliseconds, peers by their names; nothing for what is empty. */
  private static String field(RecordedEvent event, String field, Names names) {
    if (field.equals("took")) {
      return String.format(Locale.ROOT, "took=%,dms", event.getDuration(field).toMillis());
    }
    if (field.equals("reason") && event.hasField("failure")) {
      return ""; // the kind of failure is enough
    }
    String value = names.in(Objects.toString(event.getValue(field)));
    if (value.isEmpty()) {
      return "";
    }
    boolean isLong = value.length() > MAX_TEXT;
    return field + "=" + (isLong ? value.substring(0, MAX_TEXT - 1) + "…" : value);
  }

  /** Whether it tells of trouble, or of a peer: of the streams that end, only those that fail. */
  boolean isRare() {
    return !name.equals(STREAM_ENDED) || fields.contains("failure=");
  }
}
