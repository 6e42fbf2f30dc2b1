package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Nic;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Several addresses as NICs; and who may listen where. */
class HostsTest {

  private static final Duration LONG = Duration.ofSeconds(20);

  @Test
  void eachAddressIsANic() {
    TcpBackend backend = TcpBackend.builder().hosts("127.0.0.1", "127.0.0.2", "127.0.0.3").build();
    assertThat(backend.nics()).extracting(Nic::name).containsExactly("tcp0", "tcp1", "tcp2");

    TransferEngine engine = TransferEngineBuilder.create().backend(backend).open().block(LONG);
    assertThat(engine.address().nics())
        .extracting(nic -> NicAddress.decode(nic.address()).host())
        .containsExactly("127.0.0.1", "127.0.0.2", "127.0.0.3");
    engine.close().block(LONG);
  }

  @Test
  void moreNicsThanAddressesTakeThemInTurn() {
    TcpBackend backend = TcpBackend.builder().hosts("127.0.0.1", "127.0.0.2").build();
    TransferEngine engine =
        TransferEngineBuilder.create()
            .backend(backend)
            .options(EngineOptions.builder().nics(3).build())
            .open()
            .block(LONG);
    assertThat(engine.address().nics())
        .extracting(nic -> NicAddress.decode(nic.address()).host())
        .containsExactly("127.0.0.1", "127.0.0.2", "127.0.0.1");
    engine.close().block(LONG);
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
          origin.call(() -> origin.domain.resolve(RawConnection.ID, address)), "never sent");
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
