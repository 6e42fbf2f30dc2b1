package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** An interrupt does not end the wait for engines that close, and is not lost. */
class UninterruptedTest {

  @Test
  void anInterruptedThreadWaitsForTheEnd() {
    Sinks.Empty<Void> end = Sinks.empty();
    AtomicBoolean waits = new AtomicBoolean();
    Mono<Void> watched = end.asMono().doOnSubscribe(_ -> waits.set(true));
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread thread =
        Thread.ofPlatform()
            .start(() -> {
              Thread.currentThread().interrupt();
              ended.complete(Uninterrupted.await(watched, Node.PATIENCE));
              interrupted.complete(Thread.currentThread().isInterrupted());
            });
    while (!waits.get() || thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    assertThat(ended).isNotDone();
    end.tryEmitEmpty().orThrow();
    assertThat(ended.orTimeout(Node.PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isTrue();
    assertThat(interrupted.orTimeout(Node.PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isTrue();
  }

  @Test
  void whatDoesNotEndIsSaid() {
    assertThat(Uninterrupted.await(Mono.never(), Duration.ofMillis(1))).isFalse();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void anErrorIsAnEnd() {
    assertThat(Uninterrupted.await(Mono.error(new IllegalStateException()), Node.PATIENCE))
        .isTrue();
  }
}
