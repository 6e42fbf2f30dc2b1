package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;

class NioReceiverTest {

  private static final Layout LAYOUT = new Layout(64, 1, 1, 0);

  /** A thread that still reads into an arena lets nobody close it. */
  @RepeatedTest(20)
  void whenItIsClosedItsDestinationIsFree() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      NioReceiver receiver =
          new NioReceiver(LAYOUT, List.of(arena.allocate(LAYOUT.bytes())), Signals.NIC, null);
      String[] address = receiver.address().split(" ");
      try (SocketChannel sender =
          NioSender.connect(
              new InetSocketAddress(address[1], Integer.parseInt(address[0])),
              NioReceiver.ACKNOWLEDGED)) {
        NioSender.write(sender, ByteBuffer.allocateDirect(64));
        assertThat(NioReceiver.fill(sender, ByteBuffer.allocateDirect(1))).isTrue();
        receiver.close();
      }
    }
  }
}
