package io.reactivetransfer.kvcache;

import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;

/** The {@link ThreadLocal}s of an application, on threads that have nothing of it. */
final class ThreadLocals {

  private ThreadLocals() {}

  /**
   * The same, which is subscribed to and does its work with those that are in the subscriber's
   * Context, if the application has Reactor put them there.
   */
  static <T> Flux<T> of(Flux<T> given) {
    return Hooks.isAutomaticContextPropagationEnabled()
        ? given.contextWrite(Function.identity())
        : given;
  }
}
