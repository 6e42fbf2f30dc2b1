package io.reactivetransfer.micrometer;

import io.micrometer.observation.NullObservation;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import io.reactivetransfer.TraceContext;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
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

  /**
   * What a message carries, and takes from one: what the W3C's Trace Context and B3 say which trace
   * it is. Not baggage, which is whatever somebody has put there: in some services it goes on to
   * logs, tags and other services.
   */
  private static final List<String> CARRIED =
      List.of(
          "traceparent",
          "b3",
          "x-b3-traceid",
          "x-b3-spanid",
          "x-b3-sampled",
          "x-b3-parentspanid",
          "x-b3-flags",
          "tracestate");

  private static final Comparator<String> BY_IMPORTANCE =
      Comparator.comparingInt(name -> CARRIED.indexOf(name.toLowerCase(Locale.ROOT)));

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
    context.setCarrier(of(came.fields()).fields());
    return context;
  }

  /** What a tracer has put into a context of {@link #sender}, as far as a message carries it. */
  static TraceContext sent(SenderContext<Map<String, String>> context) {
    Map<String, String> fields = context.getCarrier();
    return fields == null ? TraceContext.NONE : of(fields);
  }

  /**
   * Those of the fields that a message carries, and none of them cut: what does not fit is left
   * out, {@code tracestate} first, and so is what is none.
   */
  static TraceContext of(Map<String, String> fields) {
    Map<String, String> carried = new HashMap<>();
    int length = 0;
    List<String> names =
        fields.keySet().stream()
            .filter(name -> CARRIED.contains(name.toLowerCase(Locale.ROOT)))
            .sorted(BY_IMPORTANCE)
            .toList();
    for (String name : names) {
      String value = String.valueOf(fields.get(name));
      int more = TraceContext.length(name, value);
      if (length + more <= TraceContext.MAX_BYTES && isField(name, value)) {
        length += more;
        carried.put(name, value);
      }
    }
    return TraceContext.of(carried);
  }

  private static boolean isField(String name, String value) {
    try {
      return !TraceContext.of(Map.of(name, value)).isEmpty();
    } catch (IllegalArgumentException none) {
      return false;
    }
  }

  /**
   * Starts it as a part of this one, or of nothing but what its message has brought: tracers would
   * else take what is current on this thread, which has nothing to do with it.
   *
   * @return itself
   */
  static Observation start(
      ObservationRegistry registry, Observation observation, @Nullable Observation parent) {
    observation.parentObservation(parent);
    try (Observation.Scope _ = new NullObservation(registry).openScope()) {
      return started(observation);
    }
  }

  /** Starts it; if one of its handlers throws, the others do not keep it open for ever. */
  static Observation started(Observation observation) {
    try {
      return observation.start();
    } catch (Throwable thrown) {
      try {
        observation.stop();
      } catch (Throwable ofStop) {
        thrown.addSuppressed(ofStop);
      }
      throw thrown;
    }
  }

  /** The observation that is in this context; null if there is none. */
  static @Nullable Observation in(ContextView context) {
    return context.getOrDefault(OBSERVATION, null) instanceof Observation known ? known : null;
  }

  /** The context in which the operations of others become parts of this one. */
  static Context with(Observation observation, Context context) {
    // What came with a message is the parent of this one, and not of those.
    return observation.isNoop()
        ? context
        : context.delete(TraceContext.class).put(OBSERVATION, observation);
  }
}
