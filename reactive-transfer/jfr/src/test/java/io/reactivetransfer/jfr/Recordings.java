package io.reactivetransfer.jfr;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.Configuration;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** What Flight Recorder knows of the library's events, and has recorded. */
final class Recordings {

  /** Begins the name of each. */
  static final String PREFIX = "io.reactivetransfer.";

  private static final Path SETTINGS =
      Path.of("..", "..", "docs", "observability", "reactive-transfer.jfc");

  private Recordings() {}

  /** One that has the settings that users are given; it is to be started, and closed. */
  static Recording byTheFile() throws IOException, ParseException {
    try (Reader reader = Files.newBufferedReader(SETTINGS)) {
      Recording recording = new Recording();
      recording.setSettings(Configuration.create(reader).getSettings());
      return recording;
    }
  }

  /** Stops it and gives the library's events in it. */
  static List<RecordedEvent> events(Recording recording, Path folder) throws IOException {
    Path file = folder.resolve("recording.jfr");
    recording.stop();
    recording.dump(file);
    List<RecordedEvent> ours = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      if (event.getEventType().getName().startsWith(PREFIX)) {
        ours.add(event);
      }
    }
    return ours;
  }

  /** The library's events by their names. */
  static Map<String, EventType> registered() {
    EngineEvents.recorder();
    Map<String, EventType> registered = new TreeMap<>();
    for (EventType type : FlightRecorder.getFlightRecorder().getEventTypes()) {
      if (type.getName().startsWith(PREFIX)) {
        registered.put(type.getName(), type);
      }
    }
    return registered;
  }
}
