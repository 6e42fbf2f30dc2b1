package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static org.awaitility.Awaitility.await;

import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.reactivetransfer.kvcache.KvRecorder;
import java.time.Duration;
import java.util.List;

/** The tracer of one process, set up as the page on observability says; its spans are kept. */
final class TracedProcess {

  final ObservationRegistry registry;
  final KvRecorder caches;
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();

  TracedProcess() {
    OpenTelemetrySdk sdk =
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
            .build();
    ObservabilitySnippets shown = new ObservabilitySnippets(sdk);
    registry = shown.registry;
    caches = shown.caches;
  }

  /** Prints the spans that have ended, when there are so many, for whoever started a program. */
  void print(int count) {
    for (SpanData span : ended(count, TracedNodes.PATIENCE)) {
      System.out.printf(
          "span of %s: trace %s, id %s, parent %s%n",
          span.getName(), span.getTraceId(), span.getSpanId(), span.getParentSpanId());
    }
  }

  /** The spans that have ended, when there are so many. */
  List<SpanData> ended(int count) {
    return ended(count, PATIENCE);
  }

  private List<SpanData> ended(int count, Duration patience) {
    return await()
        .atMost(patience)
        .until(spans::getFinishedSpanItems, ended -> ended.size() == count);
  }
}
