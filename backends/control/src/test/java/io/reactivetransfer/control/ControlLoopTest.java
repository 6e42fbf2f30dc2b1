package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.util.internal.PlatformDependent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ControlLoopTest {

  /** Netty's own allocators are shared by all threads, and one may wait for another there. */
  @Test
  void noTwoLoopsShareBuffers() {
    ControlLoop one = new ControlLoop("test", Transport.AUTO, null);
    ControlLoop other = new ControlLoop("test", Transport.AUTO, null);
    try {
      assertThat(List.of(outbound(one), outbound(other), ByteBufAllocator.DEFAULT))
          .doesNotHaveDuplicates();
      assertThat(inbound(one)).isSameAs(outbound(one));
      assertThat(inbound(other)).isSameAs(outbound(other));
    } finally {
      one.close();
      other.close();
    }
  }

  private static Object outbound(ControlLoop loop) {
    return loop.client().configuration().options().get(ChannelOption.ALLOCATOR);
  }

  private static Object inbound(ControlLoop loop) {
    return loop.server().configuration().childOptions().get(ChannelOption.ALLOCATOR);
  }

  @Test
  void buffersOfAClosedLoopServeTheNextOne() {
    long before = PlatformDependent.usedDirectMemory();
    for (int i = 0; i < 100; i++) {
      ControlLoop loop = new ControlLoop("test", Transport.AUTO, null);
      loop.eventLoop()
          .submit(() -> ((ByteBufAllocator) outbound(loop)).directBuffer(1_000).release())
          .syncUninterruptibly();
      loop.close().toCompletableFuture().join();
    }
    long chunk = 4L << 20;
    assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(10 * chunk);
  }

  @Test
  void whatTheSystemHasNoThreadForEndsAllTheSame() {
    ControlLoop loop =
        new ControlLoop(
            Transport.AUTO,
            null,
            (task, ended) ->
                new Thread(task) {
                  @Override
                  public void start() {
                    throw new Error("thrown by a test");
                  }
                });
    assertThatThrownBy(() -> loop.execute(() -> {})).hasMessage("thrown by a test");
    assertThat(loop.close().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(40));
  }

  /** With something scheduled, each wait for sockets would arm a timer in the kernel. */
  @Test
  void whatIsDueMuchLaterIsNotScheduledOnTheLoopAndYetRunsThere() throws Exception {
    ControlLoop loop = new ControlLoop("test", Transport.AUTO, null);
    try {
      CompletableFuture<Boolean> ranInLoop = new CompletableFuture<>();
      loop.execute(() ->
          loop.schedule(() -> ranInLoop.complete(loop.inLoop()), Duration.ofMillis(5).toNanos()));
      assertThat(ranInLoop.get(10, TimeUnit.SECONDS)).isTrue();
    } finally {
      loop.close();
    }
  }
}
