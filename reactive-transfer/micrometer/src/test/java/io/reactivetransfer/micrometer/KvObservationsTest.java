package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredCaches.PAGES;
import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.reactivetransfer.PageList;
import io.reactivetransfer.kvcache.HandOverException;
import io.reactivetransfer.kvcache.KvRecorder;
import io.reactivetransfer.kvcache.KvRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a registry of observations, which checks how it is used, is told of KV caches. */
class KvObservationsTest {

  private static final String ORDER = "reactive.transfer.kv.order";
  private static final String REQUEST = "reactive.transfer.kv.request";

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  private final ObservationRegistry registry = TestObservationRegistry.create();
  private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();

  private MeteredCaches open() {
    registry.observationConfig().observationHandler(new Stopped());
    return new MeteredCaches(engines, KvObservations.of(registry));
  }

  private final class Stopped implements ObservationHandler<Observation.Context> {

    @Override
    public void onStop(Observation.Context context) {
      stopped.add(context);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }
  }

  /** The only one of this name that has stopped, by now or soon; the next one is another. */
  private Observation.Context next(String name) {
    await().atMost(PATIENCE).until(() -> stopped.stream().anyMatch(isNamed(name)));
    List<Observation.Context> all = stopped.stream().filter(isNamed(name)).toList();
    assertThat(all).hasSize(1);
    stopped.removeAll(all);
    return all.getFirst();
  }

  private static Predicate<Observation.Context> isNamed(String name) {
    return context -> name.equals(context.getName());
  }

  private void requireEnd(String name, String outcome, HandOverException.@Nullable Reason reason) {
    Observation.Context context = next(name);
    assertThat(context.getLowCardinalityKeyValue("outcome").getValue()).isEqualTo(outcome);
    assertThat(context.getHighCardinalityKeyValue("bytes").getValue()).isEqualTo("0");
    if (reason == null) {
      assertThat(context.getError()).isNull();
    } else {
      assertThat(context.getError())
          .isInstanceOfSatisfying(
              HandOverException.class, error -> assertThat(error.reason()).isEqualTo(reason));
    }
  }

  @Test
  void whatIsNotDoneEndsWithItsCause() {
    MeteredCaches caches = open();
    CompletableFuture<Void> refused = caches.ordered();
    caches.prefill.refuse(caches.nextRequest(), "not today").block(PATIENCE);
    requireFails(refused);
    requireEnd(ORDER, "refused", HandOverException.Reason.REFUSED);
    requireEnd(REQUEST, "refused", HandOverException.Reason.REFUSED);

    CompletableFuture<Void> withdrawn = caches.ordered();
    KvRequest request = caches.nextRequest();
    caches.prefill.handOver(request, PageList.range(0, PAGES), Flux.never()).subscribe().dispose();
    requireFails(withdrawn);
    requireEnd(ORDER, "peer_cancelled", HandOverException.Reason.CANCELLED);
    requireEnd(REQUEST, "cancelled", null);

    Disposable cancelled = caches.decode.receive(caches.order(), _ -> Mono.empty()).subscribe();
    KvRequest left = caches.nextRequest();
    cancelled.dispose();
    left.ended().block(PATIENCE);
    requireEnd(ORDER, "cancelled", null);
    requireEnd(REQUEST, "cancelled", null);
    assertThat(stopped).isEmpty();
  }

  private static void requireFails(CompletableFuture<Void> order) {
    assertThatThrownBy(() -> Mono.fromFuture(order).block(PATIENCE))
        .isInstanceOf(HandOverException.class);
  }

  @Test
  void thePageHasTheirNamesAndKeys() throws IOException {
    open().handOver();
    String page = Files.readString(Path.of("..", "..", "docs", "observability.md"));
    assertThat(page).contains(row(next(ORDER))).contains(row(next(REQUEST)));
  }

  private static String row(Observation.Context context) {
    return "| `%s` | %s | %s |"
        .formatted(
            context.getName(),
            keys(context.getLowCardinalityKeyValues()),
            keys(context.getHighCardinalityKeyValues()));
  }

  private static String keys(KeyValues values) {
    return values.stream()
        .map(KeyValue::getKey)
        .sorted()
        .map(key -> "`" + key + "`")
        .collect(Collectors.joining(", "));
  }

  @Test
  void whatAHandlerThrowsBreaksNoHandOver() {
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler<>() {
              @Override
              public void onStart(Observation.Context context) {
                throw new NoClassDefFoundError("thrown by a test");
              }

              @Override
              public boolean supportsContext(Observation.Context context) {
                return true;
              }
            });
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    KvRecorder recorder = KvObservations.of(registry).andThen(KvMeters.of(meters).build());
    new MeteredCaches(engines, recorder).handOver();
    MeteredEngines.until(1, meters, "kv.orders", "outcome", "done");
    MeteredEngines.until(1, meters, "kv.requests", "outcome", "done");
  }

  @Test
  void whereNobodyObservesThereIsNoRecorder() {
    assertThat(KvObservations.of(ObservationRegistry.NOOP)).isSameAs(KvRecorder.NONE);
  }
}
