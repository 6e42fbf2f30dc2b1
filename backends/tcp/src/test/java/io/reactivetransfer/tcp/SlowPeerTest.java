package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Target;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Who says something now and then, and never all of it, does not keep a connection by that. */
class SlowPeerTest {

  @Test
  void aHelloThatComesByteByByteEndsAtTheDeadline() {
    Fuzz.single(
        Target.TCP_INBOUND,
        in -> {
          FuzzNic nic = new FuzzNic(new FuzzNic.Shared(), in, false);
          LinkPair friend = LinkPair.accepted(nic, 512);
          friend.send(FuzzHandshake.hello(new EngineId(1, 1), nic.id, 0));
          friend.deliverAll();
          FuzzSocket slow = nic.connected(512);
          byte[] hello = FuzzHandshake.hello(new EngineId(1, 2), nic.id, 0);
          int seconds = 0;
          for (; slow.isOpen() && seconds < hello.length; seconds++) {
            slow.readFrom(hello, seconds, seconds + 1);
            nic.pass(1_000);
          }
          assertThat(seconds).isEqualTo(10);
          assertThat(friend.isOpen()).isTrue();
          friend.cut();
          nic.close();
        });
  }

  @Test
  void anAnswerThatComesByteByByteEndsAtTheDeadline() throws IOException {
    byte[] answer = new byte[8 + 514];
    System.arraycopy(new byte[] {'R', 'T', 'T', 'A', 0, 1, 2, 2, 0, 1}, 0, answer, 0, 10);
    try (TestNic nic = new TestNic(new TcpBackend(), 8, Duration.ofMillis(200));
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      byte[] address = RawConnection.addressOf(server).encode();
      nic.send(nic.call(() -> nic.domain.resolve(RawConnection.ID, 0, address)), "hello?");
      try (RawConnection slow = RawConnection.from(server)) {
        slow.hello();
        int[] sent = new int[1];
        int[] looked = new int[1];
        nic.awaitUntil(() -> { // which looks every 2 ms
          if (looked[0]++ % 5 == 0) {
            sendOne(slow, answer[sent[0]++]);
          }
          return !nic.lost.isEmpty();
        });
        assertThat(sent[0]).as("bytes that it sent").isLessThan(answer.length);
      }
      assertThat(nic.awaitLost().code()).isEqualTo(ErrorCode.TIMEOUT.value);
      nic.forgetWaiting();
    }
  }

  private static void sendOne(RawConnection slow, byte next) {
    try {
      slow.send(next);
    } catch (UncheckedIOException e) {
      // it was closed just now
    }
  }
}
