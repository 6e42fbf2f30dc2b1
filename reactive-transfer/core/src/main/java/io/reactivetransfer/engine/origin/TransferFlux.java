package io.reactivetransfer.engine.origin;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.engine.base.Upstreams;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** A stream of transfers to be submitted; each subscription is a {@link Intake} of its own. */
final class TransferFlux<T extends Transfer, R> extends Flux<R> implements Scannable {

  private final Streams streams;
  private final Publisher<? extends T> transfers;
  private final Results<T, R> results;
  private final int window;
  private final long deadlineNanos;

  TransferFlux(
      Streams streams,
      Publisher<? extends T> transfers,
      Results<T, R> results,
      int window,
      long deadlineNanos) {
    this.streams = streams;
    this.transfers = transfers;
    this.results = results;
    this.window = window;
    this.deadlineNanos = deadlineNanos;
  }

  @Override
  @SuppressWarnings("rawtypes") // as Reactor has it
  public @Nullable Object scanUnsafe(Attr key) {
    if (key.equals(Attr.PARENT)) {
      return transfers;
    }
    if (key.equals(Attr.PREFETCH)) {
      return window;
    }
    return key.equals(Attr.RUN_STYLE) ? Attr.RunStyle.ASYNC : null;
  }

  @Override
  public void subscribe(CoreSubscriber<? super R> actual) {
    RuntimeException refusal = streams.admission().tryEnter();
    if (refusal != null) {
      Operators.error(actual, refusal);
      return;
    }
    Intake<R> intake;
    try {
      boolean single = transfers instanceof Mono;
      intake = new Intake<>(streams, actual, results, window, deadlineNanos, single);
    } catch (Throwable failure) {
      streams.admission().leave();
      Operators.error(actual, failure);
      return;
    }
    try {
      Upstreams.withThreadLocals(transfers).subscribe(intake);
    } catch (Throwable failure) {
      intake.notSubscribed(failure);
    }
  }
}
