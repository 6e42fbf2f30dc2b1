package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Writes are handed over as they are asked for, what was prepared first, at no cost. */
class RunFeedTest {

  private static final int WRITES = 1_000;

  private static StepState step(Transfer... transfers) {
    StepState step = new StepState(new Step.Write(0, 0, Runs.builder().build()), "w", 0, 0);
    step.transfers = transfers;
    return step;
  }

  private static Transfer[] transfers(int count) {
    try (Cluster cluster = Cluster.loopback()) {
      TransferEngine engine = cluster.trainer(0);
      MemoryRegion region = Cluster.await(engine.register(Arena.global().allocate(64)));
      TransferEngine other = cluster.target(0);
      MemoryRegion there = Cluster.await(other.register(Arena.global().allocate(64)));
      RemoteRegion remote = engine.remote(there.descriptor());
      Transfer[] transfers = new Transfer[count];
      for (int i = 0; i < count; i++) {
        transfers[i] = WriteImm.of(region.slice(0, 8), remote.slice(0, 8), Imm.of(i));
      }
      return transfers;
    }
  }

  private static class Engine implements Subscriber<Transfer> {
    final List<Transfer> got = new ArrayList<>();
    Subscription subscription;
    boolean keeps = true;
    long count;
    boolean isComplete;
    @Nullable Throwable failure;

    @Override
    public void onSubscribe(Subscription from) {
      subscription = from;
    }

    @Override
    public void onNext(Transfer transfer) {
      count++;
      if (keeps) {
        got.add(transfer);
      }
    }

    @Override
    public void onError(Throwable why) {
      failure = why;
    }

    @Override
    public void onComplete() {
      isComplete = true;
    }
  }

  @Test
  void whatWasPreparedGoesBeforeTheRestOfWhatGoesAsItLies() {
    Transfer[] all = transfers(6);
    Queue<StepState> direct = new ArrayDeque<>(List.of(step(all[0], all[1], all[2]), step(all[3])));
    RunFeed feed = new RunFeed(direct::poll, 4, () -> {});
    Engine engine = new Engine();
    feed.subscribe(engine);
    assertThat(engine.got).isEmpty();
    engine.subscription.request(1);
    assertThat(engine.got).containsExactly(all[0]);
    feed.add(step(all[4], all[5]));
    engine.subscription.request(2);
    assertThat(engine.got).containsExactly(all[0], all[4], all[5]);
    engine.subscription.request(3);
    assertThat(engine.got).containsExactly(all[0], all[4], all[5], all[1], all[2], all[3]);
    assertThat(engine.isComplete).isFalse();
    feed.add(step()); // nobody wants any of it
    assertThat(engine.isComplete).isTrue();
    assertThat(feed.endNanos()).isNotZero();
  }

  @Test
  void aFailureEndsItWithoutDemand() {
    RunFeed feed = new RunFeed(() -> null, 1, () -> {});
    Engine engine = new Engine();
    feed.subscribe(engine);
    IllegalStateException why = new IllegalStateException("why");
    feed.fail(why);
    assertThat(engine.failure).isSameAs(why);
    feed.add(step(transfers(1)));
    engine.subscription.request(1);
    assertThat(engine.got).isEmpty();
  }

  @Test
  void whatTheNextStepThrowsEndsIt() {
    IllegalStateException why = new IllegalStateException("why");
    RunFeed feed =
        new RunFeed(
            () -> {
              throw why;
            },
            1,
            () -> {});
    Engine engine = new Engine();
    feed.subscribe(engine);
    assertThat(engine.failure).isSameAs(why);
    feed.drain();
    assertThat(engine.got).isEmpty();
    assertThat(engine.isComplete).isFalse();
  }

  /** A thread is within the last call for a write when the engine has ended the stream. */
  @Test
  void whoHandsOneOverIsWaitedForWhenTheEngineWantsNoMore() {
    AtomicInteger told = new AtomicInteger();
    Transfer[] all = transfers(2);
    Queue<StepState> direct = new ArrayDeque<>(List.of(step(all)));
    RunFeed feed = new RunFeed(direct::poll, 1, told::incrementAndGet);
    Engine engine =
        new Engine() {
          @Override
          public void onNext(Transfer transfer) {
            subscription.cancel();
            assertThat(feed.isAtIt()).isTrue();
            assertThat(told).hasValue(0);
            super.onNext(transfer);
          }
        };
    feed.subscribe(engine);
    engine.subscription.request(2);
    assertThat(engine.got).containsExactly(all[0]);
    assertThat(told).hasValue(1);
    assertThat(feed.isAtIt()).isFalse();
  }

  @Test
  void whoSaysThatItWasAllIsNotWaitedFor() {
    RunFeed feed = new RunFeed(() -> null, 0, () -> {});
    Engine engine =
        new Engine() {
          @Override
          public void onComplete() {
            assertThat(feed.isAtIt()).isFalse();
            super.onComplete();
          }
        };
    feed.subscribe(engine);
    assertThat(engine.isComplete).isTrue();
  }

  @Test
  void handingWritesOverAllocatesNothing() {
    Transfer[] all = transfers(WRITES);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 200; round++) {
      Queue<StepState> direct = new ArrayDeque<>(List.of(step(all)));
      RunFeed feed = new RunFeed(direct::poll, 1, () -> {});
      Engine engine = new Engine();
      engine.keeps = false;
      feed.subscribe(engine);
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < WRITES; i++) {
        engine.subscription.request(1);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      assertThat(engine.count).isEqualTo(WRITES);
    }
    assertThat(least).isZero();
  }
}
