package io.reactivetransfer.examples.observe;

import io.reactivetransfer.jfr.EngineEvents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Records the events of all engines in this process with Flight Recorder, and what threads do that
 * compute.
 */
final class FlightRecording implements AutoCloseable {

  private static final Duration SAMPLE_PERIOD = Duration.ofMillis(10);

  private final Recording recording = new Recording();
  private final Names names;

  private FlightRecording(Names names) {
    this.names = names;
  }

  /** One that runs. */
  static FlightRecording start(Names names) {
    EngineEvents.recorder(); // makes the types of its events known
    FlightRecording flight = new FlightRecording(names);
    flight.recording.setName("reactive-transfer");
    for (EventType type : FlightRecorder.getFlightRecorder().getEventTypes()) {
      if (EngineEvent.isOne(type)) {
        flight.recording.enable(type.getName());
      }
    }
    flight.recording.enable(Stacks.SAMPLE).withPeriod(SAMPLE_PERIOD);
    flight.recording.start();
    return flight;
  }

  /** Ends it, keeps it in this file, and returns the events of engines, the oldest first. */
  List<EngineEvent> stop(Path file) throws IOException {
    recording.stop();
    recording.dump(file);
    List<RecordedEvent> recorded = RecordingFile.readAllEvents(file);
    Stacks stacks = new Stacks(recorded);
    List<EngineEvent> events = new ArrayList<>();
    for (RecordedEvent each : recorded) {
      if (EngineEvent.isOne(each.getEventType())) {
        events.add(EngineEvent.of(each, names, stacks));
      }
    }
    events.sort(Comparator.comparing(EngineEvent::at));
    return events;
  }

  /** The same, in a file that is gone afterwards. */
  List<EngineEvent> stop() throws IOException {
    Path file = Files.createTempFile("observe", ".jfr");
    try {
      return stop(file);
    } finally {
      Files.delete(file);
    }
  }

  @Override
  public void close() {
    recording.close();
  }
}
