package io.reactivetransfer.moe;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/** Who waits for a half of a step: is told once how it ended. Only in turns. */
final class Half<T> {

  private final Group group;
  private final MonoSink<T> sink;
  private boolean isOver;

  Half(Group group, MonoSink<T> sink) {
    this.group = group;
    this.sink = sink;
  }

  boolean isOver() {
    return isOver;
  }

  void complete(@Nullable T value) {
    if (end()) {
      group.afterwards(() -> sink.success(value));
    }
  }

  void fail(Throwable why) {
    if (end()) {
      group.afterwards(() -> sink.error(why));
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
}
