package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import java.util.List;
import org.junit.jupiter.api.Test;

class TcpLoopTest {

  /** Netty's own allocators are shared by all threads, and one may wait for another there. */
  @Test
  void noTwoLoopsShareBuffers() {
    TcpLoop one = new TcpLoop();
    TcpLoop other = new TcpLoop();
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

  private static Object outbound(TcpLoop loop) {
    return loop.client().configuration().options().get(ChannelOption.ALLOCATOR);
  }

  private static Object inbound(TcpLoop loop) {
    return loop.server().configuration().childOptions().get(ChannelOption.ALLOCATOR);
  }
}
