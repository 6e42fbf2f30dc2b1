package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.spi.WorkerLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Chapter 17, continued: a loop that a backend brings along. */
abstract class DriverLoopRules extends RuleGroup {

  private static final int TASKS = 200;
  private static final Duration DELAY = Duration.ofMillis(30);

  /** Clocks and timers do not agree to the last bit. */
  private static final Duration SLACK = Duration.ofMillis(2);

  DriverLoopRules(TransferConformance kit) {
    super(kit);
  }

  private WorkerLoop loop() {
    stage().requireNics(1);
    WorkerLoop loop = stage().backend().newLoop();
    if (loop == null) {
      return abort("the backend has no loop of its own");
    }
    return loop;
  }

  @Test
  final void r17_21_aLoopRunsItsTasksInOrderOnItsThread() {
    WorkerLoop loop = loop();
    CountDownLatch ended = new CountDownLatch(1);
    Runnable close = () -> loop.close().whenComplete((nothing, thrown) -> ended.countDown());
    try {
      assertThat(loop.inLoop()).as("what inLoop() says on another thread").isFalse();
      Set<Thread> threads = ConcurrentHashMap.newKeySet();
      expectOrder(loop, threads);
      expectDelay(loop, threads);
      assertThat(threads).as("threads that tasks of one loop ran on").hasSize(1);
    } finally {
      loop.execute(close);
    }
    stage().patience().until("the end of the loop", () -> ended.getCount() == 0);
  }

  /** Two threads give it tasks at once. */
  private void expectOrder(WorkerLoop loop, Set<Thread> threads) {
    AtomicInteger running = new AtomicInteger();
    Queue<String> faults = new ConcurrentLinkedQueue<>();
    List<Queue<Integer>> ran =
        List.of(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
    List<Thread> givers = new ArrayList<>();
    for (Queue<Integer> order : ran) {
      Runnable giving =
          () -> {
            for (int i = 0; i < TASKS; i++) {
              int number = i;
              loop.execute(() -> {
                if (running.incrementAndGet() != 1) {
                  faults.add("two tasks at once");
                }
                if (!loop.inLoop()) {
                  faults.add("inLoop() is false for a task");
                }
                threads.add(Thread.currentThread());
                order.add(number);
                running.decrementAndGet();
              });
            }
          };
      givers.add(Thread.ofPlatform().name("giver-of-the-kit").start(giving));
    }
    stage()
        .patience()
        .until(
            TASKS + " tasks of each of two threads to run",
            () ->
                givers.stream().noneMatch(Thread::isAlive)
                    && ran.stream().allMatch(order -> order.size() >= TASKS));
    assertThat(faults).as("what was found within tasks").isEmpty();
    for (Queue<Integer> order : ran) {
      assertThat(List.copyOf(order))
          .as("tasks of one thread, in the order in which they ran")
          .isSorted();
    }
  }

  private void expectDelay(WorkerLoop loop, Set<Thread> threads) {
    AtomicLong after = new AtomicLong();
    long begin = System.nanoTime();
    loop.schedule(
        () -> {
          threads.add(Thread.currentThread());
          after.set(System.nanoTime() - begin);
        },
        DELAY.toNanos());
    stage().patience().until("a task with a delay of " + DELAY, () -> after.get() != 0);
    assertThat(Duration.ofNanos(after.get()))
        .as("after how long a task ran that has a delay of %s", DELAY)
        .isGreaterThanOrEqualTo(DELAY.minus(SLACK));
  }
}
