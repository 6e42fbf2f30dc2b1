package io.reactivetransfer.engine.base;

import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** An application's publishers, as those of the engine's streams subscribe to them. */
public final class Upstreams {

  private Upstreams() {}

  /**
   * The same, which does its work with the {@link ThreadLocal}s that are in the subscriber's
   * Context, if the application has Reactor put them there. By itself Reactor does so where a
   * publisher is foreign to it, but not where a subscriber is; and the engine asks on threads that
   * have nothing of the application's.
   */
  public static <T> Publisher<? extends T> withThreadLocals(Publisher<? extends T> upstream) {
    if (!Hooks.isAutomaticContextPropagationEnabled()) {
      return upstream;
    }
    return upstream instanceof Mono<? extends T> mono
        ? mono.contextWrite(Function.identity())
        : Flux.from(upstream).contextWrite(Function.identity());
  }
}
