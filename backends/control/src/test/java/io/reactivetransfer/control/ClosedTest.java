package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.reactivetransfer.control.TestEngine.Driver;
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
}
