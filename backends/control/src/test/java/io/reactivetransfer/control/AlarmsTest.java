package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AlarmsTest {

  private final ExecutorService loop = Executors.newSingleThreadExecutor();
  private final Alarms alarms = new Alarms(loop);

  @AfterEach
  void close() {
    loop.close();
  }

  @Test
  void whatWasForgottenIsNotRun() throws Exception {
    AtomicBoolean ran = new AtomicBoolean();
    CompletableFuture<Boolean> later = new CompletableFuture<>();
    loop.execute(() -> {
      alarms.set(() -> ran.set(true), Duration.ofMillis(20).toNanos());
      alarms.clear();
      alarms.set(() -> later.complete(ran.get()), Duration.ofMillis(40).toNanos());
    });
    assertThat(later.get()).isFalse();
  }

  @Test
  void runsEachInItsTime() throws Exception {
    CompletableFuture<String> first = new CompletableFuture<>();
    CompletableFuture<String> last = new CompletableFuture<>();
    loop.execute(() -> {
      alarms.set(() -> last.complete(first.getNow("late")), Duration.ofSeconds(1).toNanos());
      alarms.set(() -> first.complete("in time"), Duration.ofMillis(1).toNanos());
    });
    assertThat(last.get()).isEqualTo("in time");
  }
}
