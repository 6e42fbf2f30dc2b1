package io.reactivetransfer.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The tracer of one process, as far as parents go: like the handlers of Micrometer's tracing it
 * writes a {@code traceparent} for what goes on elsewhere, and reads it of what came from there.
 */
final class ProcessOfTracer {

  private static final AtomicLong IDS = new AtomicLong();

  /** A part of a trace. */
  record Span(String trace, String id, String parent) {}

  final ObservationRegistry registry = ObservationRegistry.create();

  /** All that have stopped. */
  final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();

  ProcessOfTracer() {
    registry.observationConfig().observationHandler(new Spans());
  }

  static Span span(Observation.Context context) {
    return context.getRequired(Span.class);
  }

  static String tag(Observation.Context context, String key) {
    return context.getLowCardinalityKeyValue(key).getValue();
  }

  static String value(Observation.Context context, String key) {
    return context.getHighCardinalityKeyValue(key).getValue();
  }

  private final class Spans implements ObservationHandler<Observation.Context> {

    @Override
    public void onStart(Observation.Context context) {
      String id = String.format("%016x", IDS.incrementAndGet());
      Span parent = parent(context);
      Span span =
          parent == null
              ? new Span(String.format("%032x", IDS.incrementAndGet()), id, "")
              : new Span(parent.trace(), id, parent.id());
      context.put(Span.class, span);
      if (context instanceof SenderContext<?> sender) {
        send(sender, "00-" + span.trace() + "-" + span.id() + "-01");
      }
    }

    private <C> void send(SenderContext<C> context, String value) {
      context.getSetter().set(context.getCarrier(), "traceparent", value);
    }

    private Span parent(Observation.Context context) {
      if (context instanceof ReceiverContext<?> receiver) {
        String came = receive(receiver);
        if (came == null) {
          return null;
        }
        String[] parts = came.split("-");
        return new Span(parts[1], parts[2], "");
      }
      return context.getParentObservation() == null
          ? null
          : context.getParentObservation().getContextView().get(Span.class);
    }

    private <C> String receive(ReceiverContext<C> context) {
      return context.getGetter().get(context.getCarrier(), "traceparent");
    }

    @Override
    public void onStop(Observation.Context context) {
      stopped.add(context);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }
  }
}
