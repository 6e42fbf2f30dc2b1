package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.PageList;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

/** What lands of an order that has ended is counted once, whoever takes it at what moment. */
class LandingTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  /** Its signals come on threads that may wait. */
  private final TestNode decodeNode =
      new TestNode(
          "loopback",
          LAYOUT,
          EngineOptions.builder().signalScheduler(Schedulers.boundedElastic()).build());

  private final TestNode prefillNode = new TestNode("loopback", LAYOUT);
  private final FakePrefill prefill = new FakePrefill(prefillNode, decodeNode).takingAll();
  private final CompletableFuture<Void> quiet = new CompletableFuture<>();
  private final CompletableFuture<Thread> told = new CompletableFuture<>();
  private final AtomicReference<Disposable> running = new AtomicReference<>();

  private volatile KvMessage.Request request;
  private final AtomicInteger waits = new AtomicInteger();
  private volatile int writtenMeanwhile;

  @AfterEach
  void close() {
    prefillNode.close();
    decodeNode.close();
  }

  /** Never says that time has passed; has one arrival more come when somebody begins to wait. */
  private final class Timers implements Scheduler {
    private final Scheduler virtual = VirtualTimeScheduler.create();

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
      // The first one waits for the answer to a cancel, the second one for what is to land yet.
      if (unit.toNanos(delay) == Duration.ofSeconds(2).toNanos() && waits.incrementAndGet() == 3) {
        writtenMeanwhile = 1;
        long before = decodeNode.engine.stats().arrivals();
        write();
        await().atMost(PATIENCE).until(() -> decodeNode.engine.stats().arrivals() > before);
      }
      return virtual.schedule(task, delay, unit);
    }

    @Override
    public Disposable schedule(Runnable task) {
      return virtual.schedule(task);
    }

    @Override
    public Worker createWorker() {
      return virtual.createWorker();
    }
  }

  private void write() {
    RemoteRegion target = prefillNode.engine.remote(request.target().regions().getFirst());
    prefillNode
        .engine
        .submit(
            WriteImm.of(
                prefillNode.memory.page(0, 0, 0), target.slice(0, 64), request.imms().base()))
        .subscribe();
  }

  private static boolean isInLeg(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(Leg.class.getName()));
  }

  /** While an arrival is being told of, and not counted yet, the order ends. */
  private void endMeanwhile() {
    waits.set(0); // the question for the layout was one
    running.get().dispose();
    KvMessage.End end =
        new KvMessage.End(request.id(), KvMessage.Outcome.CANCELLED, false, 6, "cancelled");
    cache.answers.received(prefillNode.seenFrom(decodeNode), end, 37);
    await().atMost(PATIENCE).until(() -> waits.get() == 2);
    told.complete(Thread.currentThread());
  }

  private final KvCache cache = KvCache.open(decodeNode.engine, "decode", new Timers());

  @Test
  void anArrivalIsNotLostBetweenTwoWhoWait() throws Exception {
    KvOrder order =
        KvOrder.into(
                prefillNode.seenFrom(decodeNode), PageList.range(0, 4), () -> quiet.complete(null))
            .onLayer(layer -> endMeanwhile())
            .deadline(PATIENCE)
            .build();
    KvDecode decode = cache.decode(TestNode.MODEL, decodeNode.memory);
    running.set(decode.receive(order, KEPT).subscribe(come -> {}, failed -> {}));
    request = prefill.nextRequest();
    prefill.write(request, 4);
    assertThat(prefill.next()).isEqualTo(new KvMessage.Cancel(request.id()));
    Thread counting = told.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    await().atMost(PATIENCE).until(() -> !isInLeg(counting));
    prefill.write(request, 2 - writtenMeanwhile);
    quiet.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }
}
