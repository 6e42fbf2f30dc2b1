package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.NonBlocking;
import reactor.core.scheduler.Schedulers;

class TcpLoopTest {

  @Test
  void runsTasksInOrderOnItsOwnDaemonThread() {
    TcpLoop loop = new TcpLoop();
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    StringBuffer order = new StringBuffer();

    loop.execute(() -> order.append(loop.inLoop() ? "a" : "-"));
    loop.schedule(() -> thread.complete(Thread.currentThread()), TimeUnit.MILLISECONDS.toNanos(5));
    loop.execute(() -> order.append("b"));

    Thread runner = thread.orTimeout(10, TimeUnit.SECONDS).join();
    assertThat(runner.isDaemon()).isTrue();
    assertThat(runner.getName()).startsWith("transfer-tcp-");
    assertThat(runner).isInstanceOf(NonBlocking.class);
    assertThat(order).hasToString("ab");
    assertThat(loop.inLoop()).isFalse();
    close(loop);
  }

  @Test
  void closingEndsTheThread() throws InterruptedException {
    TcpLoop loop = new TcpLoop();
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    loop.execute(() -> thread.complete(Thread.currentThread()));

    close(loop);

    thread.join().join(10_000);
    assertThat(thread.join().isAlive()).isFalse();
    AtomicBoolean ran = new AtomicBoolean();
    loop.execute(() -> ran.set(true));
    loop.schedule(() -> ran.set(true), 1);
    assertThat(ran).isFalse();
  }

  @Test
  void blockingOnItIsAnError() {
    TcpLoop loop = new TcpLoop();
    CompletableFuture<Throwable> blocked = new CompletableFuture<>();
    loop.execute(() -> {
      try {
        Thread.sleep(1);
        blocked.complete(new AssertionError("not detected"));
      } catch (Throwable e) {
        blocked.complete(e);
      }
    });

    assertThat(blocked.orTimeout(10, TimeUnit.SECONDS).join())
        .hasMessageContaining("Blocking call");
    assertThat(Schedulers.isInNonBlockingThread()).isFalse();
    close(loop);
  }

  private static void close(TcpLoop loop) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    loop.execute(() -> loop.close().thenRun(() -> ended.complete(null)));
    ended.orTimeout(10, TimeUnit.SECONDS).join();
  }
}
