package io.reactivetransfer.examples.observe;

import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Holds up what begins while it is shut. */
final class Gate {

  private volatile Sinks.Empty<Void> opened = Sinks.empty();

  /** An open one. */
  Gate() {
    open();
  }

  /** From now on nothing passes. One thread at a time, as for {@link #open}. */
  void shut() {
    opened = Sinks.empty();
  }

  /** Everything passes, first what was held up. */
  void open() {
    opened.tryEmitEmpty().orThrow();
  }

  /** Subscribes to it as soon as the gate is open. */
  <T> Mono<T> pass(Mono<T> what) {
    return Mono.defer(() -> opened.asMono().then(what));
  }
}
