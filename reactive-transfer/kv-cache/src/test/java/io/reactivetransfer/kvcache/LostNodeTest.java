package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.MODEL;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
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

  /** All claims that concern a node fail when it has given up more than it can name. */
  @Test
  void whoIsThereIsNotTakenForLostWhereAClaimFails() {
    AtomicInteger leases = new AtomicInteger();
    AtomicInteger claims = new AtomicInteger();
    TransferFailedException givenUp = new TransferFailedException("it was under many immediates");
    TransferEngine engine =
        changed(
            TransferEngine.class,
            decodeNode.engine,
            (method, arguments) ->
                method.getName().equals("lease") && leases.getAndIncrement() == 0
                    ? lease(
                        call(decodeNode.engine, ImmLease.class, method, arguments),
                        claim ->
                            Mono.defer(() ->
                                claims.getAndIncrement() % 3 == 2 ? claim : Mono.error(givenUp)))
                    : null);
    long before = decodeNode.engine.stats().openRegions();
    KvDecode decode = KvCache.open(engine).decode(MODEL, decodeNode.memory);
    assertThat(order(decode).join()).isTrue();
    assertThat(order(decode).join()).isTrue();
    assertThat(decodeNode.engine.stats().openRegions()).isEqualTo(before + 1);

    prefillNode.engine.close().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().openRegions() == before);
  }

  /** What such a claim fails with says nothing of a loss, which may be there as well. */
  @Test
  void whoIsLostIsLostWhereEachClaimFails() {
    AtomicInteger leases = new AtomicInteger();
    TransferFailedException givenUp = new TransferFailedException("it left too much in doubt");
    TransferEngine engine =
        changed(
            TransferEngine.class,
            decodeNode.engine,
            (method, arguments) ->
                method.getName().equals("lease") && leases.getAndIncrement() == 0
                    ? lease(
                        call(decodeNode.engine, ImmLease.class, method, arguments),
                        claim -> Mono.error(givenUp))
                    : null);
    KvCache cache = KvCache.open(engine);
    Peer prefill = prefillNode.seenFrom(decodeNode);
    CompletableFuture<Void> loss = cache.lossOf(prefill).toFuture();
    assertThat(order(cache.decode(MODEL, decodeNode.memory)).join()).isTrue();
    assertThat(loss).isNotDone();
    prefillNode.engine.close().block(PATIENCE);
    await().atMost(PATIENCE).until(loss::isDone);
    assertThat(loss.exceptionNow()).isInstanceOf(PeerUnreachableException.class);
  }

  /** A claim that is bound to nobody fails whoever has given up what he does not name. */
  @Test
  void whatLandsYetOfANodeIsWaitedForWhateverOthersGiveUp() throws InterruptedException {
    TransferFailedException givenUp = new TransferFailedException("it was under many immediates");
    TransferEngine engine =
        changed(
            TransferEngine.class,
            decodeNode.engine,
            (method, arguments) -> {
              if (!method.getName().equals("lease")) {
                return null;
              }
              ImmLease lease = call(decodeNode.engine, ImmLease.class, method, arguments);
              return changed(
                  ImmLease.class,
                  lease,
                  (of, imm) ->
                      of.getName().equals("counter")
                          ? changed(
                              ImmCounter.class,
                              call(lease, ImmCounter.class, of, imm),
                              (claim, n) ->
                                  claim.getName().equals("every") ? Flux.error(givenUp) : null)
                          : null);
            });
    try (TestNode node = new TestNode("loopback", LAYOUT)) {
      FakePrefill fake = new FakePrefill(node, decodeNode).takingAll();
      KvDecode decode = KvCache.open(engine).decode(MODEL, decodeNode.memory);
      CompletableFuture<Void> free = new CompletableFuture<>();
      KvOrder order =
          KvOrder.into(node.seenFrom(decodeNode), PageList.range(0, 4), () -> free.complete(null))
              .deadline(PATIENCE)
              .build();
      Disposable running = decode.receive(order, TestNode.KEPT).subscribe(come -> {}, no -> {});
      KvMessage.Request request = fake.nextRequest();
      fake.write(request, 2);
      running.dispose();
      long registered = decodeNode.engine.stats().openRegions();
      fake.say(new KvMessage.End(request.id(), KvMessage.Outcome.CANCELLED, false, 3, ""));
      // Its answer has come when that to a later question has.
      decode.cache().answers.description(decode.cache(), node.seenFrom(decodeNode), MODEL).block();
      assertThat(free).isNotDone();
      fake.write(request, 1);
      Mono.fromFuture(free).block(PATIENCE);
      assertThat(decodeNode.engine.stats().openRegions()).isEqualTo(registered);
    }
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
