package io.reactivetransfer.weights.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class ListenerTest {

  private final AtomicInteger cancels = new AtomicInteger();
  private final AtomicInteger ends = new AtomicInteger();

  @Test
  void whatHasEndedIsNotCancelled() {
    Mono<Integer> done = Mono.just(1).doOnCancel(cancels::incrementAndGet);
    Listener.ofEnd(done, ends::incrementAndGet, failure -> {}).dispose();
    Mono<Integer> failed =
        Mono.<Integer>error(new IllegalStateException()).doOnCancel(cancels::incrementAndGet);
    Listener.ofEnd(failed, () -> {}, failure -> ends.incrementAndGet()).dispose();
    assertThat(ends).hasValue(2);
    assertThat(cancels).hasValue(0);
  }

  @Test
  void whatIsDisposedOfIsCancelledAndHeardNoMore() {
    Sinks.Empty<Void> sink = Sinks.empty();
    Mono<Void> pending = sink.asMono().doOnCancel(cancels::incrementAndGet);
    Listener<Void> listener = Listener.ofEnd(pending, ends::incrementAndGet, failure -> {});
    listener.dispose();
    sink.tryEmitEmpty();
    assertThat(cancels).hasValue(1);
    assertThat(ends).hasValue(0);
    assertThat(listener.isDisposed()).isTrue();
  }

  /** Whoever disposes of it has more to end, and is not the one who can mend that. */
  @Test
  void whatItsCancelThrowsEndsNothingElse() {
    Flux<Integer> pending =
        Flux.create(sink ->
            sink.onCancel(() -> {
              cancels.incrementAndGet();
              throw new IllegalStateException("it cannot be cancelled");
            }));
    Listener<Integer> listener = Listener.ofEnd(pending, ends::incrementAndGet, failure -> {});
    listener.dispose();
    assertThat(cancels).hasValue(1);
    assertThat(listener.isDisposed()).isTrue();
  }

  /** Whoever listens has others to begin, and has heard how this one has ended. */
  @Test
  void whatAPublisherThrowsBehindItsEndIsNoOtherEnd() {
    Mono<Integer> done =
        Mono.just(1)
            .doFinally(signal -> {
              throw new NoClassDefFoundError("of a test");
            });
    Listener<Integer> listener =
        Listener.ofEnd(done, ends::incrementAndGet, failure -> cancels.incrementAndGet());
    assertThat(ends).hasValue(1);
    assertThat(cancels).hasValue(0);
    assertThat(listener.isDisposed()).isTrue();
  }
}
