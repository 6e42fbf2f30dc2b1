package io.reactivetransfer.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.HandOverException;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRecorder;
import io.reactivetransfer.kvcache.KvRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/**
 * Makes each order and each request of KV caches an observation of Micrometer, and with a tracer
 * behind the registry a span: a recorder that a {@code KvCache} is opened with, alone or beside
 * {@link KvMeters}. Needs {@code reactive-transfer-kv-cache} on the class path.
 *
 * <pre>{@code
 * KvCacheOptions options =
 *     KvCacheOptions.builder()
 *         .recorder(KvMeters.of(meters).build().andThen(KvObservations.of(observations)))
 *         .build();
 * }</pre>
 *
 * <p><b>One trace.</b> The parent of an order is the observation in the context of Reactor of
 * whoever has subscribed to it, else the current one of his thread. What the tracer writes into
 * headers goes with each request, so that the request at a prefill node is a child of the order;
 * and what that node's application does for it is a child of the request, as far as it takes its
 * parent from the context of Reactor in which {@code KvPrefill.serve} runs it. What they are
 * called, and their keys, is in {@code docs/observability.md}.
 *
 * <p><b>What it costs.</b> One observation for an order and one for its request at each prefill
 * node, on the threads that bring things about, with whatever the registry's handlers do; nothing
 * for a page, a layer or a write. No scope stays open.
 *
 * <p><b>What goes wrong.</b> What a handler throws is logged, some lines at a time, and ends
 * nothing.
 */
public final class KvObservations implements KvRecorder {

  /** Others are {@code other}: a registry of meters has some for each. */
  private static final int MAX_MODELS = 64;

  /** Somebody serves it from now on. */
  private static final Observation.Event TAKEN = Observation.Event.of("taken");

  private final ObservationRegistry registry;
  private final Named<String> models = new Named<>(MAX_MODELS, model -> model);

  private KvObservations(ObservationRegistry registry) {
    this.registry = registry;
  }

  /**
   * A recorder for as many nodes as are opened with it.
   *
   * @param registry stays the caller's; of {@link ObservationRegistry#NOOP} it is {@link
   *     KvRecorder#NONE}
   */
  @SuppressWarnings("ReferenceEquality") // others may have handlers later
  public static KvRecorder of(ObservationRegistry registry) {
    return Objects.requireNonNull(registry, "registry") == ObservationRegistry.NOOP
        ? KvRecorder.NONE
        : new KvObservations(registry);
  }

  @Override
  public OrderRecorder orderBegun(OrderBegin begin) {
    SenderContext<Map<String, String>> context = TraceFields.sender(Kind.CLIENT);
    KvDecode decode = begin.decode();
    Observation order = named("order", context, decode.cache().engine(), decode.model());
    if (order.isNoop()) {
      return OrderRecorder.NONE;
    }
    order
        .highCardinalityKeyValue("prefill", prefills(begin.order()))
        .highCardinalityKeyValue("pages", String.valueOf(pages(begin.order())));
    Observation parent = TraceFields.in(begin.context());
    if (parent == null) {
      TraceFields.started(order); // with the current one of the subscriber's thread
    } else {
      TraceFields.start(registry, order, parent);
    }
    return new Order(order, context);
  }

  /** Not started; its parent is the current observation of the thread. */
  private Observation named(
      String what, Observation.Context context, TransferEngine engine, String model) {
    Observation observation =
        Observation.createNotStarted(Meters.PREFIX + "kv." + what, () -> context, registry);
    return observation.isNoop()
        ? observation
        : observation
            .contextualName("kv " + what)
            .lowCardinalityKeyValue("engine", engine.id().toShortString())
            .lowCardinalityKeyValue("backend", engine.backend())
            .lowCardinalityKeyValue("model", models.of(model));
  }

  private static String prefills(KvOrder order) {
    return order.prefills().stream().map(KvObservations::name).collect(Collectors.joining(","));
  }

  private static String name(Peer peer) {
    return peer.address().control().toString();
  }

  private static int pages(KvOrder order) {
    PageList pages = order.pages();
    return pages == null ? 0 : pages.size();
  }

  @Override
  public RequestRecorder requestQueued(RequestBegin begin) {
    ReceiverContext<Map<String, String>> context =
        TraceFields.receiver(Kind.SERVER, begin.traceContext());
    KvPrefill prefill = begin.prefill();
    Observation request = named("request", context, prefill.cache().engine(), prefill.model());
    if (request.isNoop()) {
      return RequestRecorder.NONE;
    }
    KvRequest wanted = begin.request();
    request
        .highCardinalityKeyValue("decode", wanted.decodeName())
        .highCardinalityKeyValue("request", String.valueOf(wanted.id()))
        .highCardinalityKeyValue("pages", String.valueOf(wanted.pages()));
    return new Request(TraceFields.start(registry, request, null));
  }

  /** Behind it nothing is told to the observation any more, whatever a handler throws. */
  private static void stop(
      Observation observation, KvOutcome outcome, long bytes, @Nullable Throwable failure) {
    try {
      observation
          .lowCardinalityKeyValue("outcome", outcome.tag)
          .highCardinalityKeyValue("bytes", String.valueOf(bytes));
      if (failure != null) {
        observation.error(failure);
      }
    } finally {
      observation.stop();
    }
  }

  /** One order, from the subscription to its end. */
  private record Order(Observation observation, SenderContext<Map<String, String>> context)
      implements OrderRecorder {

    @Override
    public TraceContext traceContext() {
      return TraceFields.sent(context);
    }

    @Override
    public void ended(OrderEnd end) {
      Duration first = end.untilFirst();
      if (first != null) {
        observation.highCardinalityKeyValue("first", first.toString());
      }
      stop(observation, KvOutcome.of(end), end.bytes(), end.failure());
    }
  }

  /** One request, from when it was read to its end. */
  private record Request(Observation observation) implements RequestRecorder {

    @Override
    public Context context(Context seen) {
      return TraceFields.with(observation, seen);
    }

    @Override
    public void dequeued(QueueEnd end) {
      if (end.isTaken()) {
        observation.event(TAKEN);
      }
    }

    @Override
    public void ended(RequestEnd end) {
      Duration exposed = end.exposed();
      if (exposed != null) {
        observation.highCardinalityKeyValue("exposed", exposed.toString());
      }
      HandOverException failure = end.failure();
      KvOutcome outcome = KvOutcome.of(end);
      // A cancel is what somebody wanted, here as on the decode side.
      stop(observation, outcome, end.bytes(), outcome == KvOutcome.CANCELLED ? null : failure);
    }
  }
}
