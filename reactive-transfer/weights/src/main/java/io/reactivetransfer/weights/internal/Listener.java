package io.reactivetransfer.weights.internal;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Operators;
import reactor.util.Logger;
import reactor.util.Loggers;
import reactor.util.context.Context;

/**
 * Listens to a publisher until it is disposed of. Unlike the subscribers that Reactor makes from
 * lambdas it drops nothing on Reactor's hooks: a failure that comes when nobody listens any more is
 * nobody's business.
 *
 * @param <T> what the publisher emits
 */
public final class Listener<T> implements CoreSubscriber<T>, Disposable {

  private static final Logger LOG = Loggers.getLogger(Listener.class);

  private final Consumer<? super T> next;
  private final Runnable completed;
  private final Consumer<Throwable> failed;
  private final Context context;
  private final AtomicReference<@Nullable Subscription> subscription = new AtomicReference<>();
  private volatile boolean isOver;

  private Listener(
      Consumer<? super T> next, Runnable completed, Consumer<Throwable> failed, Context context) {
    this.next = next;
    this.completed = completed;
    this.failed = failed;
    this.context = context;
  }

  /**
   * Subscribes.
   *
   * @param failed may be called after {@link #dispose()}, as the others, when both come at once
   */
  public static <T> Listener<T> of(
      Publisher<T> publisher,
      Consumer<? super T> next,
      Runnable completed,
      Consumer<Throwable> failed) {
    return of(publisher, Context.empty(), next, completed, failed);
  }

  private static <T> Listener<T> of(
      Publisher<T> publisher,
      Context context,
      Consumer<? super T> next,
      Runnable completed,
      Consumer<Throwable> failed) {
    Listener<T> listener = new Listener<>(next, completed, failed, context);
    try {
      publisher.subscribe(listener);
    } catch (Throwable thrown) {
      listener.notSubscribed(thrown);
    }
    return listener;
  }

  /**
   * Reactor throws what it holds to be fatal, a missing class for instance, through all operators:
   * that is the publisher's failure as any other one.
   */
  private void notSubscribed(Throwable thrown) {
    if (isOver) { // nobody hears of it, and whoever listens has others to begin
      LOG.error("a publisher has thrown as it was subscribed to, behind its end", thrown);
      return;
    }
    dispose();
    failed.accept(thrown);
  }

  /** The same for whoever waits for the end alone. */
  public static <T> Listener<T> ofEnd(
      Publisher<T> publisher, Runnable completed, Consumer<Throwable> failed) {
    return of(publisher, ignored -> {}, completed, failed);
  }

  /**
   * The same, with a Context that the publisher sees, and on its threads the {@link ThreadLocal}s
   * that are in there, if the application has Reactor put them there.
   *
   * @param context such as that of whoever has subscribed to what listens here
   */
  public static <T> Listener<T> ofEnd(
      Publisher<T> publisher, Context context, Runnable completed, Consumer<Throwable> failed) {
    Publisher<T> seeing =
        Hooks.isAutomaticContextPropagationEnabled()
            ? Flux.from(publisher).contextWrite(Function.identity())
            : publisher;
    return of(seeing, context, ignored -> {}, completed, failed);
  }

  @Override
  public Context currentContext() {
    return context;
  }

  @Override
  public void onSubscribe(Subscription upstream) {
    if (isOver || !subscription.compareAndSet(null, upstream)) {
      cancel(upstream);
      return;
    }
    upstream.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(T element) {
    if (!isOver) {
      next.accept(element);
    }
  }

  @Override
  public void onError(Throwable failure) {
    if (!isOver) {
      end();
      failed.accept(failure);
    }
  }

  @Override
  public void onComplete() {
    if (!isOver) {
      end();
      completed.run();
    }
  }

  /** What has ended by itself is not cancelled any more: that would tell others that it was. */
  private void end() {
    isOver = true;
    subscription.set(Operators.cancelledSubscription());
  }

  @Override
  public void dispose() {
    isOver = true;
    Subscription upstream = subscription.getAndSet(Operators.cancelledSubscription());
    if (upstream != null) {
      cancel(upstream);
    }
  }

  /**
   * An application's cancel may throw; whoever disposes of a listener has more to end than that.
   */
  private static void cancel(Subscription upstream) {
    try {
      upstream.cancel();
    } catch (Throwable thrown) {
      LOG.warn("could not cancel what is not waited for any more", thrown);
    }
  }

  @Override
  public boolean isDisposed() {
    return isOver;
  }
}
