package io.reactivetransfer.examples.observe;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What was seen of a {@link Scenario}.
 *
 * @param samples of its meters, the oldest first
 * @param events that are rare, the oldest first
 */
record Observation(List<Sample> samples, List<EngineEvent> events) {

  /**
   * Plays a scenario, and prints what is seen: each sample as soon as it was taken, and the events
   * at the end.
   *
   * @param scenario its name
   * @param interval from one sample to the next
   * @param file keeps the recording of the events, unless it is null
   */
  static Observation play(
      String scenario, Pace pace, Duration interval, @Nullable Path file, PrintWriter out)
      throws Exception {
    Names names = new Names();
    try (FlightRecording flight = FlightRecording.start(names);
        Scenario played = Scenarios.open(scenario, names)) {
      List<Column> columns = played.columns();
      Table table = new Table(columns, out);
      table.heading();
      columns.forEach(Column::read); // what grows is shown from here on
      Instant begin = Instant.now();
      List<Sample> samples = new ArrayList<>();
      for (Act act : played.acts()) {
        table.line(act.name() + ": " + act.happens());
        act.begin().run();
        samples.addAll(samplesOf(act, begin, columns, played, pace, interval, table));
      }
      table.line("events:");
      List<EngineEvent> events = events(flight, begin, file);
      new EventList(begin, out).print(events);
      return new Observation(samples, events);
    }
  }

  private static List<Sample> samplesOf(
      Act act,
      Instant begin,
      List<Column> columns,
      Scenario played,
      Pace pace,
      Duration interval,
      Table table)
      throws InterruptedException {
    List<Sample> samples = new ArrayList<>();
    do {
      TimeUnit.NANOSECONDS.sleep(interval.toNanos());
      Map<String, Double> figures = new LinkedHashMap<>();
      columns.forEach(column -> figures.put(column.title(), column.read()));
      Sample sample = new Sample(Duration.between(begin, Instant.now()), act.name(), figures);
      samples.add(sample);
      table.row(sample);
      played.check();
    } while (!pace.isOver(act, samples));
    return samples;
  }

  private static List<EngineEvent> events(
      FlightRecording flight, Instant begin, @Nullable Path file) throws IOException {
    List<EngineEvent> recorded = file == null ? flight.stop() : flight.stop(file);
    return recorded.stream()
        .filter(event -> !event.at().isBefore(begin))
        .filter(EngineEvent::isRare)
        .toList();
  }
}
