package io.reactivetransfer.moe;

import io.reactivetransfer.MemoryRegion;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * A join until a group has its memory, or nobody has it. Its registration is not cancelled with it:
 * an engine undoes what nobody takes, but tells nobody when that is done. Safe from any thread.
 */
final class Registering {

  private final MonoSink<MoeGroup> sink;
  private final Set<Registering> all;
  private final Disposable.Swap cancel = Disposables.swap();
  private final End ended = new End();

  /** What is done when nobody has its memory, before anybody is told. */
  private volatile Runnable nothingLeft = () -> {};

  /**
   * Begins.
   *
   * @param all those that have not ended
   */
  Registering(MonoSink<MoeGroup> sink, Set<Registering> all) {
    this.sink = sink;
    this.all = all;
    all.add(this);
    sink.onCancel(cancel);
  }

  /** Whether nobody waits for it any more. */
  boolean isCancelled() {
    return cancel.isDisposed();
  }

  /** Does it when nobody has its memory, before anybody is told; maybe more than once. */
  void whenNothingIsLeft(Runnable action) {
    nothingLeft = action;
  }

  /**
   * Registers.
   *
   * @param then takes the memory over, unless it throws; not done if nobody waits any more
   */
  void begin(Mono<MemoryRegion> registration, Consumer<MemoryRegion> then) {
    try {
      Listener.of(registration, region -> registered(region, then), () -> {}, this::fail);
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void registered(MemoryRegion region, Consumer<MemoryRegion> then) {
    if (isCancelled()) {
      giveBack(region, () -> {});
      return;
    }
    try {
      then.accept(region);
    } catch (Throwable e) {
      giveBack(region, () -> fail(e));
    }
  }

  private void giveBack(MemoryRegion region, Runnable then) {
    Listener.ofEnd(
        region.close(),
        () -> {
          nothingLeft.run();
          end(null);
          then.run();
        },
        e -> {
          nothingLeft.run();
          end(e);
          then.run();
        });
  }

  /** It cannot join, and has no memory. */
  void fail(Throwable why) {
    nothingLeft.run();
    end(null);
    if (!isCancelled()) {
      sink.error(why);
    }
  }

  /** From now on a cancel is this; it is done now if that was before. */
  void onCancel(Runnable action) {
    cancel.update(action::run);
  }

  /** A group has its memory; or there was a failure in giving it back. The first end counts. */
  void end(@Nullable Throwable failure) {
    all.remove(this);
    if (failure == null) {
      ended.complete();
    } else {
      ended.fail(failure);
    }
  }

  /** Completes when a group has its memory, or nobody has it. */
  Mono<Void> ended() {
    return ended;
  }
}
