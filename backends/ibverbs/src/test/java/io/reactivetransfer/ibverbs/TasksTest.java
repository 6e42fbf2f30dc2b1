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
    tasks.run(() -> name, ends::add, refusal -> ends.add("refused " + refusal.getMessage()));
  }

  @Test
  void waitsForAThread() {
    CompletableFuture<String> stage = tasks.begin(() -> "begun").toCompletableFuture();
    note("run");
    long begin = System.nanoTime();
    until(() -> System.nanoTime() - begin > 300_000_000);
    assertThat(stage).isNotDone();
    assertThat(ends).isEmpty();
    assertThat(tasks.areDue()).as("the NIC's thread has to look again").isTrue();
    isFull.set(false);
    until(() -> stage.isDone() && !ends.isEmpty());
    assertThat(stage).isCompletedWithValue("begun");
    assertThat(ends).containsExactly("run");
    assertThat(tasks.areDue()).isFalse();
  }

  @Test
  void isMadeAtTheLatestByTheThreadThatCloses() {
    CompletableFuture<String> stage = tasks.begin(() -> "begun").toCompletableFuture();
    note("run");
    tasks.close();
    assertThat(stage).isCompletedWithValue("begun");
    assertThat(ends).containsExactly("run");
  }
}
