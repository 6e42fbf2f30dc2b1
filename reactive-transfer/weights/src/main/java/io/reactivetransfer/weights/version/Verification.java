package io.reactivetransfer.weights.version;

import io.reactivetransfer.weights.internal.Listener;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** The application looks at what has come of an update. */
final class Verification {

  private final Command.Prepare order;
  private final int buffer;
  private final Disposable.Swap looking = Disposables.swap();

  Verification(Command.Prepare order, int buffer) {
    this.order = order;
    this.buffer = buffer;
  }

  /** Of which update. */
  Command.Prepare order() {
    return order;
  }

  /** Where its bytes are. */
  int buffer() {
    return buffer;
  }

  /**
   * Begins.
   *
   * @param context what the application sees
   * @param ended with null if all is right
   */
  void begin(
      Function<? super FilledBuffer, ? extends Publisher<?>> verifier,
      FilledBuffer filled,
      Context context,
      Consumer<@Nullable Throwable> ended) {
    looking.update(
        Listener.ofEnd(
            Flux.defer(() -> looked(verifier, filled)),
            context,
            () -> ended.accept(null),
            failure -> ended.accept(failure)));
  }

  private static Publisher<?> looked(
      Function<? super FilledBuffer, ? extends Publisher<?>> verifier, FilledBuffer filled) {
    try {
      return verifier.apply(filled);
    } catch (Throwable thrown) {
      return Mono.error(thrown); // whatever it throws is its failure
    }
  }

  void dispose() {
    looking.dispose();
  }
}
