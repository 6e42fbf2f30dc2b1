package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call that may block is made, whether or not there is a thread for it at once. */
@Timeout(30)
class TasksTest {

  private final AtomicBoolean isFull = new AtomicBoolean(true);

  /** Of a system that has as many threads as it may have, as long as it is full. */
  private final Tasks tasks =
      new Tasks(
          () -> {},
          task ->
              new Thread(task) {
                @Override
                public void start() {
                  if (isFull.get()) {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                  super.start();
                }
              });

  private final List<String> ends = new ArrayList<>();

  private void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      tasks.takeIn(System.nanoTime());
      Thread.onSpinWait();
    }
  }

  private void note(String name) {
    tasks.run(() -> name, ends::add, refusal -> ends.add("refused: " + refusal.getMessage()));
  }

  @Test
  void whatMustNotFailWaitsForAThread() {
    CompletableFuture<String> stage = tasks.beginSurely(() -> "begun").toCompletableFuture();
    long begin = System.nanoTime();
    assertThat(tasks.areDue(begin)).as("there is no thread, so nobody has to look").isFalse();
    until(() -> System.nanoTime() - begin > 300_000_000);
    assertThat(stage).isNotDone();
    isFull.set(false);
    assertThat(tasks.areDue(System.nanoTime() + 1_000_000_000)).isTrue();
    until(stage::isDone);
    assertThat(stage).isCompletedWithValue("begun");
    assertThat(tasks.areDue(System.nanoTime() + 1_000_000_000)).isFalse();
  }

  @Test
  void whatMustNotFailIsMadeAtTheLatestByTheThreadThatCloses() {
    CompletableFuture<String> stage = tasks.beginSurely(() -> "begun").toCompletableFuture();
    tasks.close();
    assertThat(stage).isCompletedWithValue("begun");
  }

  /** Nobody looks at a NIC that is being opened, so what it waits for must end. */
  @Test
  void allElseFailsWithoutAThread() {
    assertThat(tasks.begin(() -> "begun").toCompletableFuture()).isCompletedExceptionally();
    note("run");
    until(() -> !ends.isEmpty());
    assertThat(ends.getFirst()).startsWith("refused: no thread to make a call that may block");
  }
}
