package io.reactivetransfer.kvcache;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

/**
 * Questions that are asked once for all who wait for the answer at the same time, and given up when
 * the last of them is cancelled. Reactor's {@code refCount} does not fit: who subscribes while the
 * last one is cancelled can be given its cancel. Here one lock decides whether a question still
 * takes who comes, or is over. Safe from any thread.
 *
 * @param <K> what is asked for; unlike ones are asked apart
 * @param <T> the answer
 */
final class SharedQuestions<K, T> {

  private final Map<K, Shared> asked = new ConcurrentHashMap<>();

  /**
   * The answer to the question of this key, which is asked unless it is under way.
   *
   * @param question asked with the Context of whoever is the first
   */
  Mono<T> answer(K key, Supplier<Mono<T>> question) {
    return Mono.deferContextual(context ->
        Mono.using(() -> join(key), shared -> shared.begin(question, context), Shared::leave));
  }

  private Shared join(K key) {
    return asked.compute(
        key, (same, known) -> known != null && known.join() ? known : new Shared(key));
  }

  /** One question, of whoever has made it and those that have joined. */
  private final class Shared {

    private final K key;
    private final Sinks.One<T> answer = Sinks.one();
    private final AtomicBoolean isBegun = new AtomicBoolean();
    private final Disposable.Swap asking = Disposables.swap();

    /** Guarded by this, like the next one. */
    private int waiting = 1;

    private boolean isOver;

    Shared(K key) {
      this.key = key;
    }

    /** Returns whether one more waits for it now. */
    synchronized boolean join() {
      if (!isOver) {
        waiting++;
      }
      return !isOver;
    }

    Mono<T> begin(Supplier<Mono<T>> question, ContextView context) {
      if (isBegun.compareAndSet(false, true)) {
        try {
          asking.update(
              Ending.of(
                  question.get().doOnNext(this::answered).contextWrite(context),
                  this::empty,
                  this::failed));
        } catch (RuntimeException | Error e) {
          failed(e); // also for those who have joined
        }
      }
      return answer.asMono();
    }

    private void answered(T value) {
      end();
      answer.tryEmitValue(value);
    }

    private void empty() {
      end();
      answer.tryEmitEmpty(); // changes nothing behind a value
    }

    private void failed(Throwable failure) {
      end();
      answer.tryEmitError(failure);
    }

    /** Before the signal: who asks again when he hears of an end must not hear the same again. */
    private void end() {
      synchronized (this) {
        isOver = true;
      }
      asked.remove(key, this);
    }

    void leave() {
      synchronized (this) {
        waiting--;
        if (waiting > 0 || isOver) {
          return;
        }
        isOver = true;
      }
      asked.remove(key, this);
      asking.dispose();
    }
  }
}
