package io.reactivetransfer.examples.together;

import reactor.core.publisher.Mono;

/** One of those that share the engines. It does one thing after the other. */
interface Pipeline {

  /** What it does, for people. */
  String name();

  /** How many bytes it moves each time. */
  long bytes();

  /**
   * Does it once, and compares every byte with what must be there; an error if one differs. On
   * subscription.
   *
   * @param number counts up from 1; other bytes each time
   */
  Mono<Void> once(long number);

  /** Ends it. The engines stay. */
  Mono<Void> close();
}
