package io.reactivetransfer.control;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/**
 * One event loop, which waits for its sockets without a time limit while nothing is scheduled on
 * it. Netty's own wakes up every second then, and arms a timer in the kernel for it with every
 * wait.
 */
final class SocketLoop extends MultiThreadIoEventLoopGroup {

  SocketLoop(ThreadFactory threads, IoHandlerFactory handlers) {
    super(1, threads, handlers);
  }

  @Override
  protected IoEventLoop newChild(Executor executor, IoHandlerFactory handlers, Object... none) {
    return new Loop(this, executor, handlers);
  }

  private static final class Loop extends SingleThreadIoEventLoop {

    Loop(SocketLoop parent, Executor executor, IoHandlerFactory handlers) {
      super(parent, executor, handlers);
    }

    @Override
    protected long deadlineNanos() {
      return nextScheduledTaskDeadlineNanos(); // -1 for none
    }
  }
}
