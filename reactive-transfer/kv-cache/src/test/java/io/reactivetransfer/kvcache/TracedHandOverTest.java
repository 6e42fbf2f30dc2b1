package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.TraceContext;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** What recorders of orders send along comes with the request, and contexts reach the code. */
@ParameterizedClass
@ValueSource(strings = "loopback")
class TracedHandOverTest extends HandOverFixture {

  private static final TraceContext TRACE =
      TraceContext.of(Map.of("traceparent", "00-aa-bb-01", "tracestate", "x=1"));

  private static final Pattern LENGTHS = Pattern.compile("of at most (\\d+) bytes .* got (\\d+),");

  private final ToldEvents told = new ToldEvents();

  /** The context of whoever has subscribed to each order. */
  private final List<ContextView> subscribers = new CopyOnWriteArrayList<>();

  private final KvRecorder tracer =
      new KvRecorder() {
        @Override
        public OrderRecorder orderBegun(OrderBegin begin) {
          subscribers.add(begin.context());
          return new OrderRecorder() {
            @Override
            public TraceContext traceContext() {
              return TRACE;
            }
          };
        }

        @Override
        public RequestRecorder requestQueued(RequestBegin begin) {
          return new RequestRecorder() {
            @Override
            public Context context(Context seen) {
              return seen.put("request", begin.request().id());
            }
          };
        }
      };

  /** Returns nothing where something is expected. */
  private static final KvRecorder EMPTY =
      new KvRecorder() {
        @Override
        public @Nullable OrderRecorder orderBegun(OrderBegin begin) {
          return null;
        }

        @Override
        public @Nullable RequestRecorder requestQueued(RequestBegin begin) {
          return null;
        }
      };

  @Override
  KvCacheOptions options() {
    return KvCacheOptions.builder().recorder(EMPTY.andThen(told).andThen(tracer)).build();
  }

  private void serveAll() {
    prefill.serve(4, request -> handOver(request, allLayers(request))).subscribe();
  }

  @Test
  void whatTheOrdersRecorderSendsAlongComesWithTheRequest() {
    serveAll();
    requireArrived(
        await(decode.receive(order(), KEPT).contextWrite(context -> context.put("caller", "me"))));
    assertThat(told.requestBegins)
        .singleElement()
        .satisfies(begin -> {
          assertThat(begin.traceContext()).isEqualTo(TRACE);
          assertThat(begin.prefill()).isSameAs(prefill);
          assertThat(begin.request().decode().id()).isEqualTo(decodeNode.engine.id());
        });
    assertThat(subscribers)
        .singleElement()
        .satisfies(context -> assertThat(context.<String>get("caller")).isEqualTo("me"));
    assertThat(told.orderBegins)
        .singleElement()
        .satisfies(begin -> {
          assertThat(begin.decode()).isSameAs(decode);
          assertThat(begin.order().prefills()).containsExactly(peer());
        });
  }

  @Test
  void theCodeThatServesARequestSeesWhatItsRecorderAdds() {
    List<String> handlers = new CopyOnWriteArrayList<>();
    List<String> layers = new CopyOnWriteArrayList<>();
    prefill
        .serve(
            1,
            request ->
                Flux.deferContextual(seen -> {
                  handlers.add(
                      seen.get("server") + " " + (seen.<Long>get("request") == request.id()));
                  return handOver(
                          request,
                          Flux.deferContextual(inner -> {
                            layers.add(inner.get("server") + " " + inner.get("span"));
                            return allLayers(request);
                          }))
                      .contextWrite(context -> context.put("span", "mine"));
                }))
        .contextWrite(context -> context.put("server", "it"))
        .subscribe();
    requireArrived(await(decode.receive(order(), KEPT)));
    requireArrived(await(decode.receive(order(), KEPT)));
    assertThat(handlers).containsExactly("it true", "it true");
    assertThat(layers).containsExactly("it mine", "it mine");
  }

  @Test
  void eachOfTwoIsToldOfByItsOwnRecorder() {
    CompletableFuture<KvArrival> kept = decode.receive(order(), KEPT).toFuture();
    KvRequest first = nextRequest();
    CompletableFuture<KvArrival> refused = decode.receive(order(), KEPT).toFuture();
    KvRequest second = nextRequest();
    await(prefill.refuse(second, "not today").then(Mono.just(true)));
    HandOverException failure = failureOf(refused);
    await(handOver(first, allLayers(first)).then(Mono.just(true)));
    await(Mono.fromFuture(kept));
    await().atMost(PATIENCE).until(() -> told.operations.size() == 4);
    assertThat(told.operations)
        .containsExactlyInAnyOrder(
            List.of(told.orderBegins.get(0), end(told.orders, null)),
            List.of(told.orderBegins.get(1), end(told.orders, failure)),
            List.of(told.requestBegins.get(0), ofRequest(first)),
            List.of(told.requestBegins.get(1), ofRequest(second)));
    assertThat(told.requestBegins)
        .extracting(KvRecorder.RequestBegin::request)
        .containsExactly(first, second);
    assertThat(ofRequest(second).failure())
        .hasMessageContaining("not today")
        .extracting("reason")
        .isEqualTo(HandOverException.Reason.REFUSED);
  }

  private static KvRecorder.OrderEnd end(
      List<KvRecorder.OrderEnd> ends, @Nullable Throwable failure) {
    return ends.stream().filter(end -> end.failure() == failure).findFirst().orElseThrow();
  }

  private KvRecorder.RequestEnd ofRequest(KvRequest request) {
    boolean isFirst = told.requestBegins.getFirst().request() == request;
    return told.requests.stream()
        .filter(end -> (end.failure() == null) == isFirst)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anOrderThatIsTooLongWithItsTraceGoesWithoutIt() {
    int max = decodeNode.engine.options().maxMessageBytes();
    CompletableFuture<KvArrival> tooLong =
        decode.receive(ordered().body(ByteBuffer.allocate(max)).build(), KEPT).toFuture();
    Matcher lengths = LENGTHS.matcher(failureOf(tooLong).getMessage());
    assertThat(lengths.find()).isTrue();
    int others = Integer.parseInt(lengths.group(2)) - max; // without the trace, too
    awaitRoom();
    serveAll();
    for (int room : List.of(0, TRACE.encoded().remaining())) {
      ByteBuffer body = ByteBuffer.allocate(max - others - room);
      KvOrder order = ordered().body(body).deadline(PATIENCE).build();
      await(decode.receive(order, KEPT)).release();
    }
    assertThat(told.requestBegins)
        .extracting(KvRecorder.RequestBegin::traceContext)
        .containsExactly(TraceContext.NONE, TRACE);
  }
}
