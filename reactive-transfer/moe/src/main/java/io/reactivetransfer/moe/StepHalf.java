package io.reactivetransfer.moe;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.MemorySlice;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/**
 * A half of a step as a publisher, for one subscriber. It is its subscription, too, so that
 * subscribing allocates nothing; and what is run when it begins.
 */
final class StepHalf<T> extends Mono<T> implements Subscription, Runnable {

  private final MoeStep step;
  private final Group group;
  private final BiConsumer<MoeStep, StepHalf<T>> begin;

  /** Which of the four it is: a bit. */
  final int kind;

  private final HalfState<T> state = new HalfState<>();
  private boolean isHandedOver;

  /** Whether it was handed out in this step, where it is one for all. */
  private boolean isTaken;

  /** Whether another one of its kind had been subscribed to before, in the same step. */
  volatile boolean isRepeated;

  /** Who waits for it, and is told. */
  final Half<T> half;

  /** What it reads or writes, if that was given. */
  MemorySegment memory = MemorySegment.NULL;

  /** The same, if it lies on an accelerator. */
  @Nullable DeviceMemory deviceMemory;

  long stride;

  /** The same, if it is registered, and where in that it begins. */
  @Nullable MemorySlice slice;

  /** Whether a step begins with it; and whether it is the first with which this one did. */
  boolean isBeginning;

  boolean isFirst;

  private @Nullable T value;

  /**
   * For one step.
   *
   * @param kind which of the four it is: a bit
   * @param begin what it begins with; in a turn
   */
  StepHalf(Group group, MoeStep step, int kind, BiConsumer<MoeStep, StepHalf<T>> begin) {
    this.kind = kind;
    this.step = step;
    this.group = group;
    this.begin = begin;
    this.half =
        new Half<>(group) {
          @Override
          protected void succeeded(@Nullable T value) {
            StepHalf.this.succeeded(value);
          }

          @Override
          protected void failed(Throwable why) {
            StepHalf.this.failed(why);
          }
        };
  }

  /** For the same half of the next step. */
  void anew() {
    state.anew();
    isTaken = false;
    isRepeated = false;
    isFirst = false;
    value = null;
    half.anew();
  }

  /** Hands it out, if it was not in this step; or else another one. */
  StepHalf<T> taken() {
    if (isTaken) {
      step.handsOutMore();
      return new StepHalf<>(group, step, kind, begin);
    }
    isTaken = true;
    return this;
  }

  /** Whether nobody waits for it any more. */
  boolean isFree() {
    return state.isFree();
  }

  /** Whether somebody was told how it has ended, or is being told. */
  boolean isTold() {
    return state.isTold();
  }

  /** It is one with which a step begins. */
  StepHalf<T> beginning() {
    isBeginning = true;
    return this;
  }

  StepHalf<T> with(MemorySegment memory, @Nullable DeviceMemory deviceMemory, long stride) {
    this.memory = memory;
    this.deviceMemory = deviceMemory;
    this.stride = stride;
    return this;
  }

  /** What it reads is registered. */
  StepHalf<T> from(@Nullable MemorySlice registered) {
    slice = registered;
    return this;
  }

  /** As an operator of Reactor is handed out. */
  Mono<T> assembled() {
    return onAssembly(this);
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> subscriber) {
    if (!state.subscribe(subscriber)) {
      Operators.error(
          subscriber, new IllegalStateException("expected one subscription to a half of a step"));
      return;
    }
    step.subscribed(this);
    try {
      subscriber.onSubscribe(this);
    } catch (Throwable thrown) {
      cancel(); // it does not begin, and nobody would end the step that it has begun
      throw thrown;
    }
    if (!group.isOnNicThread) {
      group.turns.run(this);
      return;
    }
    isHandedOver = true;
    try {
      group.engine.executor().execute(this);
    } catch (RejectedExecutionException closed) {
      isHandedOver = false;
      group.turns.run(this);
    }
  }

  /** On the NIC's thread, if it is handed over; then in a turn. */
  @Override
  public void run() {
    if (isHandedOver) {
      isHandedOver = false;
      group.turns.run(this);
      return;
    }
    group.opened(half);
    if (!half.isOver() && group.failure() == null) {
      begin.accept(step, this);
    }
  }

  @Override
  public void request(long n) {
    if (Operators.validate(n) && state.ask()) {
      emit();
    }
  }

  /** One that has ended, of which the subscriber has not heard, is given up as well. */
  @Override
  public void cancel() {
    if (state.cancel()) {
      group.turns.run(() -> step.cancelled(this));
    }
  }

  private void succeeded(@Nullable T result) {
    if (result != null) {
      value = result;
      if (state.resultIsThere()) {
        emit();
      }
      return;
    }
    CoreSubscriber<? super T> to = state.told();
    if (to != null) {
      to.onComplete();
    }
  }

  private void emit() {
    T result = value;
    int life = step.life();
    CoreSubscriber<? super T> to = state.told();
    if (to == null || result == null) {
      return;
    }
    try {
      to.onNext(result);
      to.onComplete();
    } catch (Throwable thrown) {
      // Reactor throws so what it holds to be fatal. Nobody goes on with this batch then.
      step.giveUp(life, "who had it has thrown " + Thrown.textOf(thrown));
      throw thrown;
    }
  }

  private void failed(Throwable why) {
    CoreSubscriber<? super T> to = state.told();
    if (to != null) {
      to.onError(why);
    }
  }
}
