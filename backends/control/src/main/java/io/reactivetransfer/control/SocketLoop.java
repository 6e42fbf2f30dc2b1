package io.reactivetransfer.control;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One event loop, which waits for its sockets without a time limit while nothing is scheduled on
 * it. Netty's own wakes up every second then, and arms a timer in the kernel for it with every
 * wait. And it tells of its end on its own thread: Netty's own has a thread of the whole process
 * for that, which is no daemon and stays for a second.
 */
final class SocketLoop extends MultiThreadIoEventLoopGroup {

  SocketLoop(ThreadFactory threads, IoHandlerFactory handlers) {
    super(1, threads, handlers);
  }

  @Override
  protected IoEventLoop newChild(Executor executor, IoHandlerFactory handlers, Object... none) {
    return new Loop(
        this, executor, new Made(handlers), ImmediateEventExecutor.INSTANCE.newPromise());
  }

  /** Remembers what it has made. */
  private static final class Made implements IoHandlerFactory {

    private final IoHandlerFactory handlers;
    private @Nullable IoHandler last;

    Made(IoHandlerFactory handlers) {
      this.handlers = handlers;
    }

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
      IoHandler made = handlers.newHandler(executor);
      last = made;
      return made;
    }

    @Override
    public boolean isChangingThreadSupported() {
      return handlers.isChangingThreadSupported();
    }

    /** What it has made, no thread has ever run. */
    void destroy() {
      IoHandler made = last;
      last = null;
      if (made != null) {
        made.destroy();
      }
    }
  }

  private static final class Loop extends SingleThreadIoEventLoop {

    private final Made made;
    private final Promise<Void> ended;

    Loop(SocketLoop parent, Executor threads, Made made, Promise<Void> ended) {
      super(parent, telling(threads, ended), made);
      this.made = made;
      this.ended = ended;
    }

    private static Executor telling(Executor threads, Promise<Void> ended) {
      return turns ->
          threads.execute(() -> {
            try {
              turns.run();
            } finally {
              ended.trySuccess(null);
            }
          });
    }

    /**
     * Ends with a failure where it never had a thread, and the system has none now, either. Netty
     * closes its descriptors on its thread only.
     */
    @Override
    public Future<?> shutdownGracefully(long quiet, long most, TimeUnit unit) {
      try {
        var _ = super.shutdownGracefully(quiet, most, unit);
      } catch (Throwable noThread) {
        made.destroy();
        ended.tryFailure(noThread);
      }
      return ended;
    }

    @Override
    public Future<?> terminationFuture() {
      return ended;
    }

    @Override
    protected long deadlineNanos() {
      return nextScheduledTaskDeadlineNanos(); // -1 for none
    }
  }
}
