package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SocketLoopTest {

  private static final long WITHOUT_LIMIT = -1;

  private final BlockingQueue<Long> deadlines = new LinkedBlockingQueue<>();
  private final AtomicInteger destroyed = new AtomicInteger();
  private final SocketLoop group =
      new SocketLoop(Thread::new, recording(NioIoHandler.newFactory()));
  private final EventLoop loop = group.next();

  @AfterEach
  void shutdown() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** Netty's would wait for a second, and arm a timer for that with each wait. */
  @Test
  void waitsWithoutATimeLimitWhenNothingIsScheduled() throws Exception {
    loop.submit(() -> {}).sync();
    assertThat(deadlines.poll(10, TimeUnit.SECONDS)).isEqualTo(WITHOUT_LIMIT);
  }

  @Test
  void waitsNoLongerThanForWhatIsScheduled() throws Exception {
    var late = loop.schedule(() -> {}, 1, TimeUnit.HOURS);
    long deadline = WITHOUT_LIMIT;
    while (deadline == WITHOUT_LIMIT) {
      deadline = deadlines.take(); // the waits before it was scheduled had none
    }
    assertThat(loop.schedule(() -> "done", 1, TimeUnit.MILLISECONDS).get()).isEqualTo("done");
    late.cancel(false);
  }

  @Test
  void othersCanWaitForItsEnd() throws Exception {
    assertThat(loop.terminationFuture().await(1, TimeUnit.MILLISECONDS)).isFalse();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    assertThat(loop.terminationFuture().await(40, TimeUnit.SECONDS)).isTrue();
  }

  /** Netty would tell it on a thread of the whole process, which is no daemon and stays a while. */
  @Test
  void itsEndIsToldOnItsOwnThread() throws Exception {
    Thread own = loop.submit(Thread::currentThread).get();
    BlockingQueue<Thread> tellers = new LinkedBlockingQueue<>();
    loop.terminationFuture().addListener(_ -> tellers.add(Thread.currentThread()));
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    assertThat(tellers.poll(40, TimeUnit.SECONDS)).isSameAs(own);
    assertThat(group.isTerminated()).isTrue();
  }

  @Test
  void whatHasNoThreadEndsAllTheSame() throws Exception {
    Error noThread = new Error("thrown by a test"); // one of memory would end JUnit
    SocketLoop without =
        new SocketLoop(
            task ->
                new Thread(task) {
                  @Override
                  public void start() {
                    throw noThread;
                  }
                },
            recording(NioIoHandler.newFactory()));
    assertThatThrownBy(() -> without.next().execute(() -> {})).isSameAs(noThread);
    without.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    assertThat(without.next().terminationFuture().await(40, TimeUnit.SECONDS)).isTrue();
    assertThat(without.next().terminationFuture().cause()).isSameAs(noThread);
    assertThat(without.terminationFuture().await(40, TimeUnit.SECONDS)).isTrue();
    assertThat(destroyed).hasValue(1); // or its descriptors would stay
  }

  /** Notes until when each wait may last. */
  private IoHandlerFactory recording(IoHandlerFactory handlers) {
    return executor -> new Recording(handlers.newHandler(executor));
  }

  private final class Recording implements IoHandler {
    private final IoHandler waiting;

    Recording(IoHandler waiting) {
      this.waiting = waiting;
    }

    @Override
    public int run(IoHandlerContext context) {
      deadlines.add(context.deadlineNanos());
      return waiting.run(context);
    }

    @Override
    public void initialize() {
      waiting.initialize();
    }

    @Override
    public void prepareToDestroy() {
      waiting.prepareToDestroy();
    }

    @Override
    public void destroy() {
      destroyed.incrementAndGet();
      waiting.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      return waiting.register(handle);
    }

    @Override
    public void wakeup() {
      waiting.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
      return waiting.isCompatible(type);
    }
  }
}
