package io.reactivetransfer.moe;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/** Who waits by a sink of Reactor. */
final class SinkHalf<T> extends Half<T> {

  private final MonoSink<T> sink;

  SinkHalf(Group group, MonoSink<T> sink) {
    super(group);
    this.sink = sink;
  }

  @Override
  protected void succeeded(@Nullable T value) {
    sink.success(value);
  }

  @Override
  protected void failed(Throwable why) {
    sink.error(why);
  }
}
