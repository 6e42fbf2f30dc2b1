package io.reactivetransfer.micrometer;

import io.reactivetransfer.TransferEngine;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * A part of a pipeline and its meters, from when it has opened until it has closed. What tells of
 * it only counts, on whatever thread; registering and removing is {@link Showcase}'s.
 */
abstract class Shown {

  /** What two have in common whose meters have the same tags. */
  final Object place;

  private final Disposable.Swap watching = Disposables.swap();
  private volatile boolean closed;

  Shown(Object place) {
    this.place = place;
  }

  final boolean isClosed() {
    return closed;
  }

  /** Once, and behind everything else. */
  final void close() {
    closed = true;
    watching.dispose();
  }

  /**
   * An owner may forget to close it; it has gone with its engine.
   *
   * @param end called when the engine has closed, unless this was closed before
   */
  final void endWith(TransferEngine engine, Runnable end) {
    watching.update(engine.onClose().subscribe(null, _ -> end.run(), end));
  }

  /** Registers what is not registered yet. By one thread at a time, as {@link #remove()} is. */
  abstract void register();

  /** Takes all of it out of the registry. */
  abstract void remove();

  /** A registry has thrown, or whatever else is not of ours. From any thread. */
  abstract void failed(Throwable failure);
}
