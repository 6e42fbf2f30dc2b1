package io.reactivetransfer.micrometer;

import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.reactivetransfer.kvcache.KvRecorder;

/** The lines of docs/observability.md on traces; tests of traces are set up by them. */
final class ObservabilitySnippets {

  final ObservationRegistry registry;
  final KvRecorder caches;

  ObservabilitySnippets(OpenTelemetrySdk sdk) {
    Tracer otel = sdk.getTracer("my-service");
    OtelTracer tracer = new OtelTracer(otel, new OtelCurrentTraceContext(), event -> {});
    OtelPropagator propagator = new OtelPropagator(sdk.getPropagators(), otel);
    ObservationRegistry observations = ObservationRegistry.create();
    observations
        .observationConfig()
        .observationHandler(
            new FirstMatchingCompositeObservationHandler(
                new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                new DefaultTracingObservationHandler(tracer)));
    KvRecorder recorder = KvObservations.of(observations);
    registry = observations;
    caches = recorder;
  }
}
