package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.internal.ThreadExecutorMap;
import io.reactivetransfer.control.TestEngine.Driver;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.EngineIdentity;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A channel with a loop of its own says when it has closed, which is after the call. */
class ClosedTest {

  @Test
  void itHasClosedWhenItsLoopHasEndedAndItsPortIsFree() {
    int port = FreePort.onLoopback().port();
    TestEngine engine = new TestEngine(Driver.THREAD, NettyControl.builder().port(port).build());
    CountDownLatch entered = new CountDownLatch(1);
    CompletableFuture<Void> leave = new CompletableFuture<>();
    engine.channel.execute(() -> {
      entered.countDown();
      while (!leave.isDone()) {
        continue; // it does nothing else meanwhile
      }
    });
    assertThatCode(() -> entered.await(40, TimeUnit.SECONDS)).doesNotThrowAnyException();
    engine.close();
    CompletableFuture<Void> closed = engine.channel.closed().toCompletableFuture();
    assertThat(closed).isNotDone();
    CompletableFuture<TestEngine> next =
        closed.thenApplyAsync(
            _ -> new TestEngine(Driver.THREAD, NettyControl.builder().port(port).build()));
    leave.complete(null);
    next.orTimeout(40, TimeUnit.SECONDS).join().close();
  }

  /** As where the loop itself throws: its group is shut down, and takes no tasks. */
  @Test
  void itHasClosedWhenItsLoopHasEndedBefore() throws InterruptedException {
    TestEngine engine = new TestEngine(Driver.THREAD);
    CompletableFuture<Thread> ending = new CompletableFuture<>();
    engine.channel.execute(() -> {
      var _ = ThreadExecutorMap.currentExecutor().shutdownGracefully(0, 0, TimeUnit.SECONDS);
      ending.complete(Thread.currentThread());
    });
    Thread loop = ending.orTimeout(40, TimeUnit.SECONDS).join();
    assertThat(loop.join(Duration.ofSeconds(40))).isTrue();
    engine.close();
    assertThat(engine.channel.closed()).succeedsWithin(Duration.ofSeconds(40));
  }

  @Test
  void itHasClosedWhenItsLoopCannotBeEnded() {
    Lab.Site site = new Lab(EngineIdentity.draw(), EngineIdentity.draw()).one;
    ControlContext context = ControlContext.builder(site.identity, "lab", () -> {}).build();
    NettyControlChannel channel =
        new NettyControlChannel(
            context,
            site.sessions,
            null,
            () -> {
              throw new IllegalStateException("told to");
            });
    assertThatThrownBy(channel::close).hasMessage("told to");
    assertThat(channel.closed()).isCompleted();
  }
}
