package io.reactivetransfer.membership.dns;

import static io.reactivetransfer.membership.dns.DnsServer.LOCAL;
import static io.reactivetransfer.membership.dns.DnsServer.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.membership.MembershipException;
import io.reactivetransfer.membership.NodeChange;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;

/** What a dnsmasq says, and what nodes a subscriber then believes in. */
class DnsMembershipTest {

  private static final Duration SHORT = Duration.ofMillis(50);

  @RegisterExtension static final DnsServer DNS = new DnsServer();

  private final Set<String> nodes = new ConcurrentSkipListSet<>();
  private final List<NodeChange> changes = new CopyOnWriteArrayList<>();
  private final List<Throwable> errors = new CopyOnWriteArrayList<>();
  private Disposable subscription;

  private DnsMembership.Builder addresses() {
    return ask(DnsMembership.addresses("prefill", "prefill.test", 7400));
  }

  private static DnsMembership.Builder ask(DnsMembership.Builder builder) {
    return builder
        .nameServers(List.of(DNS.address()))
        .interval(SHORT, SHORT)
        .queryTimeout(Duration.ofMillis(500));
  }

  private void subscribe(DnsMembership.Builder builder) {
    subscription = builder.build().nodes().subscribe(this::told, errors::add);
  }

  private void told(NodeChange change) {
    assertThat(change.node().role()).isEqualTo("prefill");
    assertThat(change.node().address().toString()).isEqualTo(change.node().name());
    changes.add(change); // before the nodes, by which a test knows that it was told
    if (change instanceof NodeChange.Left left) {
      assertThat(nodes.remove(left.node().name())).isTrue();
    } else {
      assertThat(nodes.add(change.node().name())).isTrue();
    }
  }

  private void until(String... expected) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(nodes).containsExactlyInAnyOrder(expected));
    assertThat(errors).isEmpty();
  }

  @AfterEach
  void cancelEndsItsThread() {
    if (subscription != null) {
      subscription.dispose();
    }
    await()
        .atMost(PATIENCE)
        .until(() ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("reactive-transfer-dns")));
  }

  @Test
  void addressesOfAHostAreNodesAndFollowIt() throws Exception {
    DNS.hosts("10.0.0.1 prefill.test", "10.0.0.2 prefill.test", "10.0.0.9 decode.test");
    DNS.start(LOCAL);
    subscribe(addresses());
    until("10.0.0.1:7400", "10.0.0.2:7400");
    DNS.hosts("10.0.0.2 prefill.test", "10.0.0.3 prefill.test", "fd00::7 prefill.test");
    DNS.reload();
    until("10.0.0.2:7400", "10.0.0.3:7400", "[fd00::7]:7400");
    assertThat(changes).hasSize(5);
  }

  @Test
  void servicesAreHostsWithTheirPorts() throws Exception {
    String service = "_engine._tcp.prefill.test";
    DNS.start(
        LOCAL,
        "--srv-host=" + service + ",p-0.test,7400",
        "--srv-host=" + service + ",p-1.test,7401");
    subscribe(ask(DnsMembership.services("prefill", service)));
    until("p-0.test:7400", "p-1.test:7401");
    DNS.start(LOCAL, "--srv-host=" + service + ",p-1.test,7402", "--srv-host=" + service);
    until("p-1.test:7402");
  }

  @Test
  void aNameThatIsGoneHasNoNodes() throws Exception {
    DNS.hosts("10.0.0.1 prefill.test");
    DNS.start(LOCAL);
    subscribe(addresses());
    until("10.0.0.1:7400");
    DNS.hosts();
    DNS.reload();
    until();
    DNS.hosts("10.0.0.1 prefill.test");
    DNS.reload();
    until("10.0.0.1:7400");
  }

  @Test
  void whatWasKnownStaysWhileTheServerDoesNotAnswer() throws Exception {
    DNS.hosts("10.0.0.1 prefill.test", "10.0.0.2 prefill.test");
    DNS.start(LOCAL);
    subscribe(addresses());
    until("10.0.0.1:7400", "10.0.0.2:7400");
    DNS.signal("STOP");
    await().pollDelay(Duration.ofSeconds(2)).until(() -> true); // several questions, all in vain
    assertThat(changes).hasSize(2);
    DNS.hosts("10.0.0.1 prefill.test");
    DNS.start(LOCAL);
    until("10.0.0.1:7400");
  }

  /** It knows nobody else to ask, and refuses. */
  @Test
  void whatWasKnownStaysWhileTheServerRefuses() throws Exception {
    DNS.hosts("10.0.0.1 prefill.test");
    DNS.start(LOCAL);
    subscribe(addresses());
    until("10.0.0.1:7400");
    DNS.hosts();
    DNS.start();
    await().pollDelay(Duration.ofSeconds(1)).until(() -> true); // several questions, all in vain
    assertThat(changes).hasSize(1);
    DNS.start(LOCAL);
    until();
  }

  @Test
  void answersThatAreTooLongForADatagramAreRead() throws Exception {
    String[] lines =
        IntStream.range(0, 400)
            .mapToObj(i -> "10.0.%d.%d prefill.test".formatted(i / 200, i % 200 + 1))
            .toArray(String[]::new);
    DNS.hosts(lines);
    DNS.start(LOCAL);
    subscribe(addresses());
    await().atMost(PATIENCE).until(() -> nodes.size() == lines.length);
  }

  @Test
  void theNextServerIsAskedWhereOneDoesNotAnswer() throws Exception {
    DNS.hosts("10.0.0.1 prefill.test");
    DNS.start(LOCAL);
    InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    subscribe(addresses().nameServers(List.of(nobody, DNS.address())));
    until("10.0.0.1:7400");
  }

  @Test
  void tooManyAddressesAreSaid() throws Exception {
    DNS.hosts("10.0.0.1 prefill.test", "10.0.0.2 prefill.test");
    DNS.start(LOCAL);
    subscribe(addresses().maxNodes(1));
    await().atMost(PATIENCE).until(() -> !errors.isEmpty());
    assertThat(errors.getFirst())
        .isInstanceOf(MembershipException.class)
        .hasMessageStartingWith("expected at most 1 nodes, got more");
  }

  /** The time to live is an hour, and the longest time between two questions as long. */
  @Test
  void nothingIsAskedBeforeTheTimeToLiveIsOver() throws Exception {
    DNS.hosts("10.0.0.1 prefill.test", "fd00::1 prefill.test");
    DNS.start(LOCAL, "--local-ttl=3600");
    subscribe(addresses().interval(SHORT, Duration.ofHours(1)).queryTimeout(Duration.ofMinutes(1)));
    until("10.0.0.1:7400", "[fd00::1]:7400");
    DNS.hosts();
    DNS.reload();
    await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
    assertThat(changes).hasSize(2);
  }

  /** That it has no IPv6 is no reason to ask all the time. */
  @Test
  void aHostWithoutIpv6IsNotAskedBeforeItsTimeToLiveIsOver() throws Exception {
    DNS.hosts("10.0.0.1 prefill.test");
    DNS.start(LOCAL, "--local-ttl=3600");
    // The question for IPv6 may still be out when the node is there, and is not to be given up.
    subscribe(addresses().interval(SHORT, Duration.ofHours(1)).queryTimeout(Duration.ofMinutes(1)));
    until("10.0.0.1:7400");
    DNS.hosts();
    DNS.reload();
    await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
    assertThat(changes).hasSize(1);
  }

  /** The question about IPv6 takes minutes to fail, longer than this waits. */
  @Test
  void whatIsKnownOfOneTypeDoesNotWaitForAnother() throws Exception {
    try (SlowForIpv6 server = new SlowForIpv6()) {
      subscribe(
          addresses().nameServers(List.of(server.address())).queryTimeout(Duration.ofMinutes(1)));
      until("10.0.0.1:7400");
    }
  }

  @Test
  void optionsAreChecked() {
    assertThatThrownBy(() -> DnsMembership.addresses("prefill", "prefill.test", 0))
        .hasMessageStartingWith("expected a port of 1 to");
    assertThatThrownBy(() -> DnsMembership.services("pre fill", "prefill.test"))
        .hasMessageStartingWith("expected a role of 1 to");
    assertThatThrownBy(() -> DnsMembership.services("prefill", "p".repeat(64) + ".test"))
        .hasMessageStartingWith("expected a name of DNS, got 'ppp");
    DnsMembership.Builder builder = DnsMembership.services("prefill", "prefill.test");
    assertThatThrownBy(() -> builder.interval(Duration.ofSeconds(2), Duration.ofSeconds(1)))
        .hasMessage("expected the longest time of PT2S to PT24H, got PT1S");
    assertThatThrownBy(() -> builder.queryTimeout(Duration.ofHours(1)))
        .hasMessage("expected an answer of PT0.01S to PT1M, got PT1H");
    assertThatThrownBy(() -> builder.maxNodes(0)).hasMessageStartingWith("expected 1 to 100,000");
    List<InetSocketAddress> unknown = new ArrayList<>();
    unknown.add(InetSocketAddress.createUnresolved("ns.test", 53));
    assertThatThrownBy(() -> builder.nameServers(unknown)).hasMessageContaining("which has none");
  }
}
