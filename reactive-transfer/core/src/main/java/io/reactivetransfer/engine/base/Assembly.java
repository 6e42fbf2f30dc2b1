package io.reactivetransfer.engine.base;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Hands what this engine makes to Reactor's assembly hooks, as every operator of Reactor does: so
 * debug traces, checkpoints and metrics of an application see it.
 */
public final class Assembly {

  private Assembly() {}

  public static <T> Flux<T> of(Flux<T> made) {
    return FluxHook.hook(made);
  }

  public static <T> Mono<T> of(Mono<T> made) {
    return MonoHook.hook(made);
  }

  /** Only what extends Flux may ask for its hook. */
  private abstract static class FluxHook<T> extends Flux<T> {
    static <T> Flux<T> hook(Flux<T> made) {
      return onAssembly(made);
    }
  }

  private abstract static class MonoHook<T> extends Mono<T> {
    static <T> Mono<T> hook(Mono<T> made) {
      return onAssembly(made);
    }
  }
}
