package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NioPingPongTest {

  private static void returnAll(SocketChannel socket) {
    try (NioPingPong player =
        new NioPingPong(socket, ByteBuffer.allocateDirect(8), Signals.PARALLEL)) {
      player.returnAll();
    } catch (IOException e) {
      throw new IllegalStateException("the player has ended", e);
    }
  }

  @Test
  void aWriteThatFailsEndsThePlayer() throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (SocketChannel here = SocketChannel.open(listener.getLocalAddress());
          SocketChannel there = listener.accept()) {
        there.shutdownOutput();
        CompletableFuture<Void> player = CompletableFuture.runAsync(() -> returnAll(there));
        here.write(ByteBuffer.allocate(8));
        assertThatThrownBy(() -> player.get(40, TimeUnit.SECONDS))
            .hasStackTraceContaining("the player has ended");
      }
    }
  }
}
