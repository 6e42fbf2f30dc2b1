package io.reactivetransfer.examples.observe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A column of the table, which shows a meter of one engine: a gauge as it is, a counter by how much
 * it has grown since the sample before, and a timer by how many milliseconds those have taken on
 * average that came since then.
 */
final class Column {

  private final ObservedEngine engine;
  private final String meter;
  private final String[] tags;
  private final String title;
  private final List<String> heading;
  private Reading last = Reading.NONE;

  /**
   * Of this meter.
   *
   * @param meter without {@code reactive.transfer.}
   * @param tags keys and values; the values are part of the title
   */
  Column(ObservedEngine engine, String meter, String... tags) {
    this.engine = engine;
    this.meter = meter;
    this.tags = tags;
    List<String> values =
        IntStream.range(0, tags.length).filter(i -> i % 2 == 1).mapToObj(i -> tags[i]).toList();
    this.heading = new ArrayList<>(List.of(engine.name() + ":"));
    heading.addAll(Arrays.asList(meter.split("(?<=\\.)")));
    heading.addAll(values);
    this.title = (engine.name() + " " + meter + " " + String.join(" ", values)).strip();
  }

  /** The engine, the meter, and the values of its tags, in one line. */
  String title() {
    return title;
  }

  /** The same in several, narrow ones. */
  List<String> heading() {
    return heading;
  }

  /** Looks at the meter. One that is not there, or not any more, shows 0. */
  double read() {
    Reading now = engine.read(meter, tags);
    Reading before = last;
    last = now;
    return switch (now.kind()) {
      case LEVEL -> now.total();
      case GROWTH -> Math.max(0, now.total() - before.total());
      case MEAN_MILLIS -> {
        double count = now.count() - before.count();
        yield count <= 0 ? 0 : (now.total() - before.total()) / count * 1_000;
      }
    };
  }
}
