package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.TransferEngine;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * A part of a pipeline and its meters, from when it has opened until it has closed. What tells of
 * it only counts, on whatever thread; registering and removing is {@link Showcase}'s.
 */
abstract class Shown {

  /** What two have in common whose meters are the same. */
  record Place(Class<?> kind, Tags tags) {}

  final Place place;
  final Meters meters;

  private final Disposable.Swap watching = Disposables.swap();
  private volatile boolean closed;

  /**
   * Nothing is registered yet.
   *
   * @param meters with all tags that those of this one have
   */
  Shown(Meters meters) {
    this.place = new Place(getClass(), meters.tags());
    this.meters = meters;
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
  void remove() {
    meters.remove();
  }

  /** A registry has thrown, or whatever else is not of ours. From any thread. */
  final void failed(Throwable failure) {
    meters.failed(failure);
  }
}
