package io.reactivetransfer.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import io.reactivetransfer.TraceContext;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Between the tracers behind observations of Micrometer, which read and write header fields, and
 * the messages of pipelines, which carry some of them; and between observations and contexts of
 * Reactor.
 */
final class TraceFields {

  /**
   * Under which an observation is in a context of Reactor: {@code
   * ObservationThreadLocalAccessor.KEY}. That class needs context-propagation, which not everybody
   * has.
   */
  static final String OBSERVATION = "micrometer.observation";

  /** What a trace cannot go on without, and then what the W3C says belongs to it. */
  private static final Map<String, Integer> FIRST = Map.of("traceparent", 0, "tracestate", 1);

  private static final Comparator<Map.Entry<String, String>> BY_IMPORTANCE =
      Comparator.<Map.Entry<String, String>>comparingInt(
              field -> FIRST.getOrDefault(field.getKey().toLowerCase(Locale.ROOT), FIRST.size()))
          .thenComparing(Map.Entry.comparingByKey());

  private TraceFields() {}

  /** Of an operation that goes on elsewhere: a tracer puts its fields there when it starts. */
  static SenderContext<Map<String, String>> sender(Kind kind) {
    SenderContext<Map<String, String>> context =
        new SenderContext<>(
            (carrier, key, value) -> {
              if (carrier != null) {
                carrier.put(key, value);
              }
            },
            kind);
    context.setCarrier(new HashMap<>());
    return context;
  }

  /** Of an operation that a message has begun: a tracer looks there for its parent. */
  static ReceiverContext<Map<String, String>> receiver(Kind kind, TraceContext came) {
    ReceiverContext<Map<String, String>> context =
        new ReceiverContext<>((carrier, key) -> carrier.get(key), kind);
    context.setCarrier(came.fields());
    return context;
  }

  /** What a tracer has put into a context of {@link #sender}, as far as a message carries it. */
  static TraceContext sent(SenderContext<Map<String, String>> context) {
    Map<String, String> fields = context.getCarrier();
    return fields == null ? TraceContext.NONE : of(fields);
  }

  /**
   * As many of the fields as a message carries, and none of them cut: {@code traceparent} first,
   * then {@code tracestate}, then the others by their names. Those that are none are left out.
   */
  static TraceContext of(Map<String, String> fields) {
    Map<String, String> carried = new LinkedHashMap<>();
    int[] length = {0};
    fields.entrySet().stream()
        .sorted(BY_IMPORTANCE)
        .forEach(field -> {
          int more = TraceContext.length(field.getKey(), field.getValue());
          if (length[0] + more <= TraceContext.MAX_BYTES && isField(field)) {
            length[0] += more;
            carried.put(field.getKey(), field.getValue());
          }
        });
    return TraceContext.of(carried);
  }

  private static boolean isField(Map.Entry<String, String> field) {
    try {
      return !TraceContext.of(Map.of(field.getKey(), field.getValue())).isEmpty();
    } catch (IllegalArgumentException none) {
      return false;
    }
  }

  /** The observation that is in this context; null if there is none. */
  static @Nullable Observation in(ContextView context) {
    return context.getOrDefault(OBSERVATION, null) instanceof Observation known ? known : null;
  }

  /** The context in which the operations of others become parts of this one. */
  static Context with(Observation observation, Context context) {
    return observation.isNoop() ? context : context.put(OBSERVATION, observation);
  }
}
