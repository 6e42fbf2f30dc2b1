package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.Nic;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several addresses as NICs; and who may listen where. */
class HostsTest {

  private static final Duration LONG = Duration.ofSeconds(20);

  @Test
  void eachAddressIsANic() {
    TcpBackend backend = TcpBackend.builder().hosts("127.0.0.1", "127.0.0.2", "127.0.0.3").build();
    assertThat(backend.nics()).extracting(Nic::name).containsExactly("tcp0", "tcp1", "tcp2");

    assertThat(hosts(backend, 3)).containsExactly("127.0.0.1", "127.0.0.2", "127.0.0.3");
  }

  @Test
  void moreNicsThanAddressesTakeThemInTurn() {
    TcpBackend backend = TcpBackend.builder().hosts("127.0.0.1", "127.0.0.2").build();
    assertThat(hosts(backend, 3)).containsExactly("127.0.0.1", "127.0.0.2", "127.0.0.1");
  }

  private static List<String> hosts(TcpBackend backend, int nics) {
    return backend.nics(nics).stream()
        .map(nic -> {
          try (TestNic open = new TestNic(backend, nic, 8, LONG)) {
            return NicAddress.decode(open.address).host();
          }
        })
        .toList();
  }

  @Test
  void connectionsComeFromTheAddressOfTheirNic() throws IOException {
    TcpBackend backend = TcpBackend.builder().hosts("127.0.0.2", "127.0.0.3").build();
    assertThat(remoteOfAConnectionFrom(backend)).isEqualTo(InetAddress.getByName("127.0.0.2"));
  }

  @Test
  void withOneAddressTheSystemChooses() throws IOException {
    TcpBackend backend = TcpBackend.builder().host("127.0.0.2").build();
    assertThat(remoteOfAConnectionFrom(backend)).isEqualTo(InetAddress.getByName("127.0.0.1"));
  }

  private static InetAddress remoteOfAConnectionFrom(TcpBackend backend) throws IOException {
    try (TestNic origin = new TestNic(backend, 8, LONG);
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      byte[] address = RawConnection.addressOf(server).encode();
      origin.send(
          origin.call(() -> origin.domain.resolve(RawConnection.ID, 0, address)), "never sent");
      try (Socket socket = server.accept()) {
        return ((InetSocketAddress) socket.getRemoteSocketAddress()).getAddress();
      }
    }
  }

  @Test
  void aSecretIsWantedWhereOthersCanConnect() {
    var open = TcpBackend.builder().host("0.0.0.0").advertisedHost("10.0.0.7");
    assertThatIllegalArgumentException()
        .isThrownBy(open::build)
        .withMessageContaining("secret(ClusterSecret.ofFile(")
        .withMessageContaining("withoutSecret()");
    assertThat(open.secret(ClusterSecret.of(new byte[16])).build().nics()).isNotEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open.withoutSecret().build())
        .withMessageContaining("got both");
  }

  @Test
  void anAdvertisedHostIsForOneHost() {
    var several = TcpBackend.builder().hosts("127.0.0.1", "127.0.0.2").advertisedHost("10.0.0.7");
    assertThatIllegalArgumentException()
        .isThrownBy(several::build)
        .withMessageContaining("one host");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TcpBackend.builder().hosts())
        .withMessageContaining("1 to 8");
  }
}
