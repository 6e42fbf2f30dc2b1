package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.PATIENCE;
import static io.reactivetransfer.membership.etcd.EtcdServer.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.Client;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.MembershipException;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange.Changed;
import io.reactivetransfer.membership.NodeChange.Joined;
import io.reactivetransfer.membership.NodeChange.Left;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;

/** Nodes that come and go, and an etcd that answers. */
class EtcdMembershipTest {

  private static final String PREFIX = "/reactive-transfer/nodes/";
  private static final Node ONE =
      Node.of("decode-0", "decode", new HostPort("10.0.0.7", 7400)).withLabel("rank", "0");
  private static final Node TWO = Node.of("decode-1", "decode", new HostPort("10.0.0.8", 7400));

  @RegisterExtension static final EtcdServer ETCD = new EtcdServer();

  private final List<EtcdMembership> opened = new ArrayList<>();

  private EtcdMembership open() {
    return keep(EtcdMembership.builder(ETCD.builder()).build());
  }

  private EtcdMembership keep(EtcdMembership membership) {
    opened.add(membership);
    return membership;
  }

  @AfterEach
  void close() {
    opened.forEach(each -> each.close().block(PATIENCE));
  }

  private static void put(String name, String value) throws Exception {
    ETCD.client().getKVClient().put(bytes(PREFIX + name), bytes(value)).get();
  }

  @Test
  void aNodeIsThereAsLongAsItsSubscriptionLasts() {
    View view = new View(open());
    EtcdMembership other = open();
    List<Node> entered = new CopyOnWriteArrayList<>();
    Disposable one = other.register(ONE).onErrorComplete().subscribe(entered::add);
    Disposable two = other.register(TWO).onErrorComplete().subscribe();
    view.until(ONE, TWO);
    // It is told when it is watched, which is a moment after it is there.
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(entered).containsExactly(ONE));
    View late = new View(other);
    late.until(ONE, TWO);
    one.dispose();
    view.until(TWO);
    late.until(TWO);
    assertThat(view.changes).contains(new Joined(ONE), new Left(ONE));
    two.dispose();
    view.until();
    late.until();
  }

  @Test
  void whatIsEnteredAnewIsAChangeAndTheEndOfTheEarlierTakesNothingAway() throws Exception {
    View view = new View(open());
    EtcdMembership earlier = open();
    earlier.register(ONE).onErrorComplete().subscribe();
    view.until(ONE);
    Node next = ONE.withLabel("rank", "1");
    open().register(next).onErrorComplete().subscribe();
    view.until(next);
    assertThat(view.changes).containsExactly(new Joined(ONE), new Changed(ONE, next));
    earlier.close().block(PATIENCE); // waits until its lease has ended
    put("probe", "{\"role\":\"r\",\"address\":\"h:1\"}");
    view.until(next, Node.of("probe", "r", new HostPort("h", 1)));
    assertThat(view.changes).noneMatch(Left.class::isInstance);
  }

  @Test
  void whoIsTakenOutComesBack() throws Exception {
    View view = new View(open());
    List<Node> entered = new CopyOnWriteArrayList<>();
    open().register(ONE).onErrorComplete().subscribe(entered::add);
    view.until(ONE);
    ETCD.client().getKVClient().delete(bytes(PREFIX + ONE.name())).get();
    await().atMost(PATIENCE).until(() -> entered.size() == 2);
    view.until(ONE);
  }

  @Test
  void valuesThatAreNoNodesAreAsIfNotThere() throws Exception {
    put("garbage", "{");
    put("no/name", "{\"role\":\"r\",\"address\":\"h:1\"}");
    put("fine", "{\"role\":\"r\",\"address\":\"h:1\"}");
    View view = new View(open());
    Node fine = Node.of("fine", "r", new HostPort("h", 1));
    view.until(fine);
    put("garbage", "{\"role\":\"r\",\"address\":\"h:2\"}");
    view.until(fine, Node.of("garbage", "r", new HostPort("h", 2)));
    put("garbage", "no more");
    view.until(fine);
  }

  @Test
  void prefixesKeepClustersApart() {
    EtcdMembership other =
        keep(EtcdMembership.builder(ETCD.builder()).prefix("/reactive-transfer/nodes-2/").build());
    View here = new View(open());
    View there = new View(other);
    other.register(ONE).onErrorComplete().subscribe();
    open().register(TWO).onErrorComplete().subscribe();
    here.until(TWO);
    there.until(ONE);
  }

  @Test
  void tooManyNodesAreSaid() throws Exception {
    for (int i = 0; i < 4; i++) {
      put("n" + i, "{\"role\":\"r\",\"address\":\"h:1\"}");
    }
    EtcdMembership small = keep(EtcdMembership.builder(ETCD.builder()).maxNodes(3).build());
    assertThat(new View(small).untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessageStartingWith("expected at most 3 nodes below /reactive-transfer/nodes/ in etcd");
    ETCD.client().getKVClient().delete(bytes(PREFIX + "n0")).get();
    View view = new View(small);
    await().atMost(PATIENCE).until(() -> view.changes.size() == 3);
    put("n0", "{\"role\":\"r\",\"address\":\"h:1\"}");
    assertThat(view.untilError()).hasMessageStartingWith("expected at most 3 nodes, got more");
  }

  @Test
  void closingTakesItsNodesAwayEndsSubscriptionsAndKeepsNoJvm() {
    Set<Thread> before = threads();
    EtcdMembership membership = open();
    View own = new View(membership);
    List<Throwable> errors = new CopyOnWriteArrayList<>();
    membership.register(ONE).subscribe(_ -> {}, errors::add);
    own.until(ONE);
    membership.close().block(PATIENCE);
    membership.close().block(PATIENCE);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(threads())
                .filteredOn(thread -> !before.contains(thread) && !thread.isDaemon())
                .filteredOn(thread -> !thread.getName().startsWith("awaitility"))
                .isEmpty());
    assertThat(own.untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("closed");
    await().atMost(PATIENCE).until(() -> errors.size() == 1);
    assertThat(new View(membership).untilError()).hasMessageContaining("closed");
    assertThatThrownBy(() -> membership.register(ONE).blockLast(PATIENCE))
        .hasMessageContaining("closed");
    View view = new View(open());
    open().register(TWO).onErrorComplete().subscribe();
    view.until(TWO);
    assertThat(view.changes).containsExactly(new Joined(TWO));
  }

  private static Set<Thread> threads() {
    return new HashSet<>(Thread.getAllStackTraces().keySet());
  }

  @Test
  void userAndPasswordArePassedOnAndARefusalIsSaid() throws Exception {
    ETCD.enableUsers();
    EtcdMembership known =
        keep(
            EtcdMembership.builder(ETCD.builder().user(bytes("root")).password(bytes("root")))
                .build());
    View view = new View(known);
    known.register(ONE).onErrorComplete().subscribe();
    view.until(ONE);
    EtcdMembership wrong =
        keep(
            EtcdMembership.builder(ETCD.builder().user(bytes("root")).password(bytes("guess")))
                .build());
    assertThat(new View(wrong).untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessageStartingWith("etcd refuses to follow the nodes")
        .hasMessageContaining("invalid user ID or password");
    assertThatThrownBy(() -> open().register(TWO).blockLast(PATIENCE))
        .isInstanceOf(MembershipException.class)
        .hasMessageStartingWith("etcd refuses to enter the node decode-1");
  }

  @Test
  void optionsAreChecked() {
    var builder = EtcdMembership.builder(Client.builder());
    assertThatThrownBy(() -> builder.prefix("nodes")).hasMessageContaining("ends in '/'");
    assertThatThrownBy(() -> builder.lease(Duration.ofMillis(1_500)))
        .hasMessage("expected a lease of whole seconds, got PT1.5S");
    assertThatThrownBy(() -> builder.lease(Duration.ZERO))
        .hasMessage("expected a lease of PT1S to PT1H, got PT0S");
    assertThatThrownBy(() -> builder.callTimeout(Duration.ofHours(1)))
        .hasMessage("expected an answer of PT0.01S to PT10M, got PT1H");
    assertThatThrownBy(() -> builder.maxNodes(0)).hasMessageStartingWith("expected 1 to 1,000,000");
  }
}
