package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.reactivetransfer.spi.RemotePeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What waits for a peer that takes nothing. */
class WaitingBytesTest {

  private static final int LARGE = 64 << 10;
  private static final int COUNT = 1_000;
  private static final long MIB = 1 << 20;

  private final TestNic nic = new TestNic(new TcpBackend(), 1 << 16, Duration.ofSeconds(10));

  @AfterEach
  void close() {
    nic.close();
  }

  @Test
  void smallWritesTakeLittleMoreThanTheirBytes() throws IOException {
    var source = nic.register(LARGE);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      byte[] address = RawConnection.addressOf(server).encode();
      RemotePeer peer = nic.call(() -> nic.domain.resolve(RawConnection.ID, 0, address));
      var remote = nic.call(() -> nic.domain.resolve(peer, new byte[16], LARGE));
      nic.write(source, remote, 8, 0);
      try (RawConnection _ = RawConnection.welcoming(server)) {
        nic.awaitUntil(() -> nic.mostInFlight.get() == 1);
        for (int posted = 1; waiting(peer) < MIB; posted++) {
          int before = posted;
          nic.write(source, remote, LARGE, posted);
          nic.awaitUntil(() -> nic.mostInFlight.get() > before);
        }
        long before = usedBytes();

        for (int i = 0; i < COUNT; i++) {
          nic.write(source, remote, 8, i);
          nic.run(() -> {}); // behind its turn, in which it was sent by itself
          nic.run(() -> {});
        }

        assertThat(waiting(peer)).isGreaterThan(MIB + COUNT * 8);
        assertThat(usedBytes() - before).as("for writes of 8 bytes").isLessThan(5 * MIB);
      }
    }
  }

  /** What its connection holds. */
  private long waiting(RemotePeer peer) {
    return nic.call(() -> ((TcpPeer) peer).path.current().waitingBytes());
  }

  private long usedBytes() {
    var options = nic.loop.client().configuration().options();
    return ((PooledByteBufAllocator) options.get(ChannelOption.ALLOCATOR))
        .metric()
        .usedDirectMemory();
  }
}
