package io.reactivetransfer.moe;

import org.jspecify.annotations.Nullable;

/** Who waits for a half of a step, or to have joined: is told once how it ended. Only in turns. */
abstract class Half<T> implements Runnable {

  private final Group group;
  private boolean isOver;
  private @Nullable T value;
  private @Nullable Throwable failure;

  Half(Group group) {
    this.group = group;
  }

  /** It has succeeded. After turns. */
  protected abstract void succeeded(@Nullable T value);

  /** It has failed. After turns. */
  protected abstract void failed(Throwable why);

  /** It is waited for anew. */
  void anew() {
    isOver = false;
    value = null;
    failure = null;
  }

  boolean isOver() {
    return isOver;
  }

  boolean hasSucceeded() {
    return isOver && failure == null;
  }

  void complete(@Nullable T value) {
    if (end()) {
      this.value = value;
      group.afterwards(this);
    }
  }

  void fail(Throwable why) {
    if (end()) {
      this.failure = why;
      group.afterwards(this);
    }
  }

  /** Whether it was still waited for. */
  boolean end() {
    if (isOver) {
      return false;
    }
    isOver = true;
    group.ended(this);
    return true;
  }

  /** Tells how it ended. */
  @Override
  public void run() {
    Throwable why = failure;
    T what = value;
    if (why == null) {
      succeeded(what);
    } else {
      failed(why);
    }
  }
}
