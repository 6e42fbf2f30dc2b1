package io.reactivetransfer.tools.jmh;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.jfr.EngineEvents;
import io.reactivetransfer.micrometer.EngineMeters;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;

/**
 * Who listens to the engine of a benchmark, and what stands behind: an engine is opened with one as
 * {@code docs/observability.md} says.
 *
 * @param recorder what the engine is opened with
 * @param recording what records its events, or null
 * @param registry what shows its meters, or null; nobody reads them
 */
record MeasuredRecorder(
    EngineRecorder recorder, @Nullable Recording recording, @Nullable MeterRegistry registry)
    implements AutoCloseable {

  /** Those of the name that the parameter has. */
  static MeasuredRecorder of(String name) {
    return switch (name) {
      case "none" -> new MeasuredRecorder(EngineRecorder.NONE, null, null);
      case "events" -> new MeasuredRecorder(EngineEvents.recorder(), null, null);
      case "recording" -> {
        EngineEvents events = EngineEvents.recorder();
        yield new MeasuredRecorder(events, recordingOfOurs(), null);
      }
      case "meters" -> {
        MeterRegistry registry = new SimpleMeterRegistry();
        yield new MeasuredRecorder(
            EngineMeters.of(registry).percentileHistogram().build(), null, registry);
      }
      default ->
          throw new IllegalArgumentException(
              "expected a recorder of none, events, recording, meters, got '"
                  + name
                  + "'; for example -p recorder=none,meters");
    };
  }

  /**
   * Of our events and of no others, which are the JVM's; in memory, so that no disk is measured.
   */
  private static Recording recordingOfOurs() {
    Recording recording = new Recording();
    recording.setToDisk(false);
    for (EventType type : FlightRecorder.getFlightRecorder().getEventTypes()) {
      if (type.getName().startsWith("io.reactivetransfer.")) {
        recording.enable(type.getName());
      }
    }
    recording.start();
    return recording;
  }

  @Override
  public void close() {
    if (recording != null) {
      recording.close();
    }
    if (registry != null) {
      registry.close();
    }
  }
}
