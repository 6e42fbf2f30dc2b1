package io.reactivetransfer.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import io.reactivetransfer.TraceContext;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import reactor.util.context.Context;

/** What a tracer writes is what a message carries and another tracer reads, as far as it fits. */
class TraceFieldsTest {

  private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  @Test
  void whatOneTracerWritesTheOtherReads() {
    SenderContext<Map<String, String>> sender = TraceFields.sender(Kind.CLIENT);
    sender.getSetter().set(sender.getCarrier(), "traceparent", PARENT);
    TraceContext sent = TraceFields.sent(sender);
    assertThat(sent.fields()).isEqualTo(Map.of("traceparent", PARENT));
    ReceiverContext<Map<String, String>> receiver = TraceFields.receiver(Kind.SERVER, sent);
    assertThat(receiver.getGetter().get(receiver.getCarrier(), "traceparent")).isEqualTo(PARENT);
    assertThat(receiver.getGetter().get(receiver.getCarrier(), "tracestate")).isNull();
    assertThat(TraceFields.sent(TraceFields.sender(Kind.CLIENT))).isSameAs(TraceContext.NONE);
  }

  @Test
  void whatDoesNotFitIsLeftOutByItsImportanceAndNothingIsCut() {
    Map<String, String> fields = new TreeMap<>();
    fields.put("X-B3-TraceId", "0".repeat(32));
    fields.put("traceparent", PARENT);
    fields.put("TraceState", "s".repeat(512));
    assertThat(TraceFields.of(fields).fields())
        .containsOnlyKeys("X-B3-TraceId", "traceparent", "TraceState")
        .containsEntry("TraceState", "s".repeat(512));
    fields.put("TraceState", "s".repeat(1_000));
    assertThat(TraceFields.of(fields).fields()).containsOnlyKeys("X-B3-TraceId", "traceparent");
    fields.put("traceparent", "x".repeat(1_100));
    fields.put("X-B3-TraceId", "");
    assertThat(TraceFields.of(fields).fields()).containsOnlyKeys("X-B3-TraceId");
  }

  /** Whoever is in the cluster could else put anything into logs, tags and other services. */
  @Test
  void baggageIsNeitherCarriedNorTaken() {
    Map<String, String> fields = Map.of("traceparent", PARENT, "baggage", "k=v", "x-user", "u");
    assertThat(TraceFields.of(fields).fields()).isEqualTo(Map.of("traceparent", PARENT));
    ReceiverContext<Map<String, String>> receiver =
        TraceFields.receiver(Kind.SERVER, TraceContext.of(fields));
    assertThat(receiver.getCarrier()).isEqualTo(Map.of("traceparent", PARENT));
  }

  @Test
  void whatIsNoFieldIsLeftOut() {
    Map<String, String> fields =
        Map.of("traceparent", PARENT, "tracestate", "k=\u00fc", "a name", "x", "", "y");
    assertThat(TraceFields.of(fields).fields()).isEqualTo(Map.of("traceparent", PARENT));
  }

  @Test
  void anObservationIsWhereMicrometerPutsIt() {
    assertThat(TraceFields.OBSERVATION).isEqualTo(ObservationThreadLocalAccessor.KEY);
    ObservationRegistry registry = ObservationRegistry.create();
    registry
        .observationConfig()
        .observationHandler((ObservationHandler<Observation.Context>) _ -> true);
    Observation observation = Observation.createNotStarted("one", registry);
    Context with = TraceFields.with(observation, Context.empty());
    assertThat(TraceFields.in(with)).isSameAs(observation);
    assertThat(TraceFields.in(Context.empty())).isNull();
    assertThat(TraceFields.in(Context.of(TraceFields.OBSERVATION, "another thing"))).isNull();
    assertThat(TraceFields.with(Observation.NOOP, with)).isSameAs(with);
  }
}
