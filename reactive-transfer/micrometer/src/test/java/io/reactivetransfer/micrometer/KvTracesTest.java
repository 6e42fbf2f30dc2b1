package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredCaches.BYTES;
import static io.reactivetransfer.micrometer.MeteredCaches.MODEL;
import static io.reactivetransfer.micrometer.MeteredCaches.PAGES;
import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static io.reactivetransfer.micrometer.MeteredEngines.tag;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.reactivetransfer.kvcache.KvRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** With OpenTelemetry's tracers a hand-over is one trace, though its nodes share nothing. */
class KvTracesTest {

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  private final TracedProcess ofDecode = new TracedProcess();
  private final TracedProcess ofPrefill = new TracedProcess();

  private static SpanData span(List<SpanData> spans, String name) {
    return spans.stream().filter(each -> each.getName().equals(name)).findFirst().orElseThrow();
  }

  private static void requireChild(SpanData parent, SpanData child) {
    assertThat(child.getTraceId()).isEqualTo(parent.getTraceId());
    assertThat(child.getParentSpanId()).isEqualTo(parent.getSpanId());
  }

  private static String value(SpanData span, String key) {
    return span.getAttributes().get(AttributeKey.stringKey(key));
  }

  /** Hands over what is asked for, within an observation of the application's own. */
  private Mono<Void> compute(MeteredCaches caches, KvRequest request) {
    return Mono.deferContextual(context -> {
      Observation computing =
          Observation.createNotStarted("computing", ofPrefill.registry)
              .parentObservation(TraceFields.in(context))
              .start();
      return caches.handingOver(request).doFinally(_ -> computing.stop());
    });
  }

  @Test
  void aHandOverIsOneTrace() {
    MeteredCaches caches = new MeteredCaches(engines, ofDecode.caches, ofPrefill.caches);
    caches.prefill.serve(1, request -> compute(caches, request)).subscribe();
    Observation asking = Observation.start("asking", ofDecode.registry);
    // What is current on the thread has nothing to do with it, where the context says something.
    Observation unrelated = Observation.start("unrelated", ofDecode.registry);
    try (Observation.Scope _ = unrelated.openScope()) {
      caches
          .decode
          .receive(caches.order(), _ -> Mono.empty())
          .contextWrite(Context.of(ObservationThreadLocalAccessor.KEY, asking))
          .block(PATIENCE);
    }
    unrelated.stop();
    asking.stop();

    List<SpanData> asked = ofDecode.ended(3);
    SpanData order = span(asked, "kv order");
    requireChild(span(asked, "asking"), order);
    assertThat(order.getKind()).isEqualTo(SpanKind.CLIENT);
    assertThat(value(order, "outcome")).isEqualTo("done");
    assertThat(value(order, "model")).isEqualTo(MODEL);
    assertThat(value(order, "engine")).isEqualTo(tag(caches.decodeEngine));
    assertThat(value(order, "backend")).isEqualTo("loopback");
    assertThat(value(order, "bytes")).isEqualTo(Long.toString(BYTES));
    assertThat(value(order, "pages")).isEqualTo(Integer.toString(PAGES));
    assertThat(value(order, "prefill"))
        .isEqualTo(caches.prefillEngine.address().control().toString());
    assertThat(value(order, "first")).startsWith("PT");

    List<SpanData> served = ofPrefill.ended(2);
    SpanData request = span(served, "kv request");
    requireChild(order, request);
    requireChild(request, span(served, "computing"));
    assertThat(request.getKind()).isEqualTo(SpanKind.SERVER);
    assertThat(value(request, "outcome")).isEqualTo("done");
    assertThat(value(request, "model")).isEqualTo(MODEL);
    assertThat(value(request, "engine")).isEqualTo(tag(caches.prefillEngine));
    assertThat(value(request, "bytes")).isEqualTo(Long.toString(BYTES));
    assertThat(value(request, "pages")).isEqualTo(Integer.toString(PAGES));
    assertThat(value(request, "decode")).isEqualTo("decode");
    assertThat(value(request, "request")).matches("[1-9][0-9]*");
    assertThat(value(request, "exposed")).startsWith("PT");
    assertThat(request.getEvents()).extracting(EventData::getName).containsExactly("taken");
  }

  @Test
  void withoutOneInTheContextTheParentIsTheCurrentOneOfTheThread() {
    MeteredCaches caches = new MeteredCaches(engines, ofDecode.caches, ofPrefill.caches);
    Observation asking = Observation.start("asking", ofDecode.registry);
    try (Observation.Scope _ = asking.openScope()) {
      caches.handOver();
    }
    asking.stop();
    List<SpanData> asked = ofDecode.ended(2);
    requireChild(span(asked, "asking"), span(asked, "kv order"));
  }

  @Test
  void withoutATracerOnTheOtherSideEachHasItsOwn() {
    MeteredCaches caches =
        new MeteredCaches(engines, KvObservations.of(ObservationRegistry.NOOP), ofPrefill.caches);
    caches.handOver();
    SpanData request = span(ofPrefill.ended(1), "kv request");
    assertThat(request.getParentSpanContext().isValid()).isFalse();
  }
}
