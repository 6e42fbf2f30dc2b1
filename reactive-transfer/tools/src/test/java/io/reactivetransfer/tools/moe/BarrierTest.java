package io.reactivetransfer.tools.moe;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class BarrierTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  @Test
  void aFailureWhileNobodyWaitsIsToldToWhoComesNext() {
    LoopbackBackend backend = new LoopbackBackend();
    TransferEngine one = open(backend);
    TransferEngine other = open(backend);
    Barrier barrier = get(Barrier.open(one, 2));
    Barrier there = get(Barrier.open(other, 2));
    List<String> lines = List.of(barrier.toLine(), there.toLine());
    barrier.join(lines, 0);
    there.join(lines, 1);
    Mono<Void> both = Mono.when(barrier.pass(), there.pass());
    both.block(PATIENCE);

    one.close().block(PATIENCE);

    assertThatThrownBy(() -> barrier.pass().block(PATIENCE)).isInstanceOf(TransferException.class);
    there.close();
    other.close().block(PATIENCE);
  }

  private static TransferEngine open(LoopbackBackend backend) {
    return get(
        TransferEngineBuilder.create()
            .backend(backend)
            .options(EngineOptions.builder().nics(1).build())
            .open());
  }

  private static <T> T get(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }
}
