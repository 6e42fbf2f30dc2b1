package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.PATIENCE;
import static io.reactivetransfer.membership.etcd.EtcdServer.bytes;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.auth.Permission;
import io.etcd.jetcd.options.OptionsUtil;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.fuzz.TestPki;
import io.reactivetransfer.membership.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An etcd that speaks TLS and wants to see a certificate of whoever connects. */
class EtcdTlsTest {

  private static final String PREFIX = "/reactive-transfer/nodes/";
  private static final Node ONE = Node.of("one", "decode", new HostPort("10.0.0.7", 7400));
  private static final Node TWO = Node.of("two", "decode", new HostPort("10.0.0.8", 7400));

  private static final TestPki PKI = new TestPki();
  private static final TestPki.Files ITS_OWN = PKI.filesFor("127.0.0.1");

  @RegisterExtension static final EtcdServer ETCD = EtcdServer.ofTls(ITS_OWN);

  private final List<EtcdMembership> opened = new ArrayList<>();

  private EtcdMembership open(ClientBuilder client) {
    EtcdMembership membership = EtcdMembership.builder(client).build();
    opened.add(membership);
    return membership;
  }

  @AfterEach
  void close() {
    opened.forEach(each -> each.close().block(PATIENCE));
  }

  @Test
  void whoTrustsItsAuthorityAndHasACertificateOfItIsServedAlsoAfterARestart() throws Exception {
    EtcdMembership membership = open(ETCD.builder(PKI.filesFor("10.0.0.7")));
    View view = new View(membership);
    membership.register(ONE).onErrorComplete().subscribe();
    view.until(ONE);
    ETCD.kill();
    ETCD.start();
    open(ETCD.builder(PKI.filesFor("10.0.0.8"))).register(TWO).onErrorComplete().subscribe();
    view.until(ONE, TWO);
  }

  /** What the log says, once for each time that it cannot be reached for this reason. */
  @Test
  void whyThereIsNoConnectionIsSaid() throws Exception {
    failsWith(ETCD.builder(new TestPki().filesFor("127.0.0.1")), "valid certification path");
    failsWith(ETCD.builder(ITS_OWN).authority("etcd-0"), "No name matching etcd-0");
    failsWith(
        ETCD.builder().sslContext(ssl -> ssl.trustManager(ITS_OWN.trusted().toFile())),
        "Received fatal alert");
    failsWith(ETCD.builder(), "UNAVAILABLE");
    ETCD.kill();
    failsWith(ETCD.builder(ITS_OWN), "Connection refused");
  }

  /** Asks again while the machine is too slow for a connection within the time of a call. */
  private static void failsWith(ClientBuilder client, String reason) {
    Duration timeout = Duration.ofMillis(150);
    Clients clients = new Clients(client, timeout);
    EtcdCalls calls = new EtcdCalls(clients, timeout);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThatThrownBy(() -> calls.grant(Duration.ofSeconds(10)).block())
                .extracting(Attempts::why)
                .asString()
                .contains(reason)
                .doesNotContain("\n", "java.base"));
    clients.close();
  }

  @Test
  void theNameInACertificateIsTheUserWhereNoOtherIsGiven() throws Exception {
    Auth auth = ETCD.client().getAuthClient();
    auth.roleAdd(bytes("nodes")).get();
    auth.roleGrantPermission(
            bytes("nodes"),
            bytes(PREFIX),
            OptionsUtil.prefixEndOf(bytes(PREFIX)),
            Permission.Type.READWRITE)
        .get();
    auth.userAdd(bytes("engine"), bytes("unused")).get(); // the name in all these certificates
    auth.userGrantRole(bytes("engine"), bytes("nodes")).get();
    ETCD.enableUsers();
    EtcdMembership membership = open(ETCD.builder(ITS_OWN));
    View view = new View(membership);
    membership.register(ONE).onErrorComplete().subscribe();
    view.until(ONE);
  }
}
