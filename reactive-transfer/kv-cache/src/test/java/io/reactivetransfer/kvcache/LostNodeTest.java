package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A prefill node that is lost is what an order that was about to begin ends with, or reaches. */
class LostNodeTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 4, 64);

  private final TestNode decodeNode = new TestNode("loopback", LAYOUT);
  private final TestNode prefillNode = new TestNode("loopback", LAYOUT);

  @BeforeEach
  void open() {
    KvPrefill prefill = prefillNode.prefill();
    prefill
        .serve(
            1,
            request ->
                prefill.handOver(
                    request,
                    PageList.range(0, 4),
                    Flux.range(0, 2).map(layer -> FinishedLayer.whole(layer, request))))
        .subscribe();
  }

  @AfterEach
  void close() {
    prefillNode.close();
    decodeNode.close();
  }

  private CompletableFuture<Boolean> order(KvDecode decode) {
    KvOrder order =
        KvOrder.into(prefillNode.seenFrom(decodeNode), PageList.range(0, 4), () -> {})
            .deadline(PATIENCE)
            .build();
    return decode.receive(order, arrival -> Mono.just(true)).toFuture();
  }

  /** Calls what is there, unless the change returns something for a method. */
  private static <T> T changed(Class<T> type, T inner, Change change) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          Object instead = change.of(method, arguments);
          if (instead != null) {
            return instead;
          }
          try {
            return method.invoke(inner, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return type.cast(
        Proxy.newProxyInstance(
            LostNodeTest.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private interface Change {
    @Nullable Object of(Method method, Object @Nullable [] arguments);
  }

  /** What it had been told of is closed then, before the request that names it is made. */
  @Test
  void whoIsLostBeforeTheRequestIsMadeIsLost() {
    AtomicBoolean loses = new AtomicBoolean();
    long before = decodeNode.engine.stats().openRegions();
    TransferEngine engine =
        changed(
            TransferEngine.class,
            decodeNode.engine,
            (method, arguments) -> {
              if (!method.getName().equals("lease") || !loses.get()) {
                return null;
              }
              prefillNode.engine.close().subscribe();
              await()
                  .atMost(PATIENCE)
                  .until(() -> decodeNode.engine.stats().openRegions() == before);
              // Its own claims tell of the loss only later.
              ImmLease lease = call(decodeNode.engine, ImmLease.class, method, arguments);
              return lease(lease, claim -> Mono.never());
            });
    KvDecode decode = KvCache.open(engine).decode(MODEL, decodeNode.memory);
    assertThat(order(decode).join()).isTrue();
    loses.set(true);
    HandOverException failure = HandOverFixture.failureOf(order(decode));
    assertThat(failure.reason()).isEqualTo(HandOverException.Reason.PEER_LOST);
    assertThat(failure).hasMessageNotContaining("arrivals of immediate");
  }

  /** Claims that are bound to it fail at once until it was reached again (rule 7.2). */
  @Test
  void whoIsThereAgainIsReachedByTheFirstOrder() {
    AtomicBoolean away = new AtomicBoolean(true);
    PeerUnreachableException loss = new PeerUnreachableException("it was lost an hour ago");
    TransferEngine engine =
        changed(
            TransferEngine.class,
            decodeNode.engine,
            (method, arguments) ->
                switch (method.getName()) {
                  case "send" ->
                      ((Mono<?>) call(decodeNode.engine, Mono.class, method, arguments))
                          .doOnSuccess(sent -> away.set(false));
                  case "lease" ->
                      lease(
                          call(decodeNode.engine, ImmLease.class, method, arguments),
                          claim -> Mono.defer(() -> away.get() ? Mono.error(loss) : claim));
                  default -> null;
                });
    KvDecode decode = KvCache.open(engine).decode(MODEL, decodeNode.memory);
    assertThat(order(decode).join()).isTrue();
  }

  private static ImmLease lease(ImmLease lease, UnaryOperator<Mono<Void>> claims) {
    return changed(
        ImmLease.class,
        lease,
        (method, arguments) ->
            method.getName().equals("counter")
                ? counter(call(lease, ImmCounter.class, method, arguments), claims)
                : null);
  }

  @SuppressWarnings("unchecked") // what the method returns
  private static ImmCounter counter(ImmCounter counter, UnaryOperator<Mono<Void>> claims) {
    return changed(
        ImmCounter.class,
        counter,
        (method, arguments) ->
            switch (method.getName()) {
              case "boundTo" -> counter(call(counter, ImmCounter.class, method, arguments), claims);
              case "next" ->
                  claims.apply((Mono<Void>) call(counter, Mono.class, method, arguments));
              default -> null;
            });
  }

  private static <T> T call(
      Object inner, Class<T> type, Method method, Object @Nullable [] arguments) {
    try {
      return type.cast(method.invoke(inner, arguments));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
