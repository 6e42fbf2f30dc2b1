package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.maintenance.StatusResponse;
import io.grpc.ClientInterceptor;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange.Joined;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;

/** A cluster of three etcds, of which some are killed, and clients that know all three. */
class EtcdClusterTest {

  @RegisterExtension static final EtcdServer ETCD = EtcdServer.ofThree();

  private static final Node ONE = node("one");
  private static final Node TWO = node("two");

  private final List<EtcdMembership> opened = new ArrayList<>();

  private EtcdMembership open(ClientInterceptor calls) {
    return open(calls, Duration.ofSeconds(1));
  }

  private EtcdMembership open(ClientInterceptor calls, Duration callTimeout) {
    EtcdMembership membership =
        EtcdMembership.builder(ETCD.builder().interceptor(calls))
            .lease(Duration.ofMinutes(1))
            .callTimeout(callTimeout)
            .build();
    opened.add(membership);
    return membership;
  }

  private static Node node(String name) {
    return Node.of(name, "decode", new HostPort("10.0.0.7", 7400));
  }

  @AfterEach
  void close() {
    opened.forEach(each -> each.close().block(PATIENCE));
  }

  /** The client has streams to all three, since it begins each at the next one. */
  @Test
  void whicheverIsKilledNobodyIsForgottenAndWhoEntersIsSeen() throws Exception {
    Streams streams = new Streams();
    EtcdMembership membership = open(streams);
    List<Node> nodes = new ArrayList<>(List.of(ONE, TWO));
    nodes.forEach(each -> membership.register(each).onErrorComplete().subscribe());
    List<View> views = new ArrayList<>();
    await()
        .atMost(PATIENCE)
        .until(() -> {
          views.add(new View(membership));
          untilAll(views, nodes);
          return streams.ports().size() == 3;
        });
    int leader = leader();
    for (int killed : List.of(leader, (leader + 1) % 3)) {
      ETCD.member(killed).kill();
      Node late = node("without-" + killed);
      nodes.add(late);
      membership.register(late).onErrorComplete().subscribe();
      untilAll(views, nodes);
      ETCD.start(killed);
    }
    for (View each : views) {
      assertThat(each.changes).hasSize(nodes.size()).allMatch(Joined.class::isInstance);
    }
  }

  private static void untilAll(List<View> views, List<Node> nodes) {
    views.forEach(each -> each.until(nodes.toArray(Node[]::new)));
  }

  private static int leader() {
    return await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> IntStream.range(0, 3).filter(EtcdClusterTest::isLeader).findFirst().getAsInt(),
            _ -> true);
  }

  private static boolean isLeader(int index) {
    StatusResponse status = ETCD.status(index);
    return status.getLeader() == status.getHeader().getMemberId();
  }

  // In a usual build EtcdWithoutLeaderTest shows what one member without the others does.
  @Tag("nightly")
  @Test
  void withoutAMajorityAllStaysAsItIsAndAfterwardsItGoesOn() throws Exception {
    EtcdMembership membership = open(new Streams());
    View view = new View(membership);
    List<Node> entered = new CopyOnWriteArrayList<>();
    membership.register(ONE).onErrorComplete().subscribe(entered::add);
    view.until(ONE);
    await().atMost(PATIENCE).until(() -> !entered.isEmpty());
    ETCD.member(0).kill();
    ETCD.member(1).kill();
    InFlight calls = new InFlight();
    EtcdMembership late = open(calls);
    View ofLate = new View(late);
    late.register(TWO).onErrorComplete().subscribe();
    await().atMost(PATIENCE).until(() -> calls.ended.get() >= 2);
    assertThat(view.changes).containsExactly(new Joined(ONE));
    assertThat(ofLate.changes).isEmpty();
    ETCD.start(0);
    ETCD.start(1);
    view.until(ONE, TWO);
    ofLate.until(ONE, TWO);
    assertThat(view.changes).containsExactly(new Joined(ONE), new Joined(TWO));
  }

  /**
   * The lease would last for longer than anybody waits here; the client itself asks three times.
   */
  // In a usual build nodes leave an etcd of one member only, also while it is away.
  @Tag("nightly")
  @Test
  void whoLeavesWithoutAMajorityIsGoneOnceThereIsOne() throws Exception {
    InFlight revocations = new InFlight("LeaseRevoke");
    Disposable registration =
        open(revocations, PATIENCE).register(ONE).onErrorComplete().subscribe();
    View view = new View(open(new Streams()));
    view.until(ONE);
    ETCD.member(0).kill();
    ETCD.member(1).kill();
    await().atMost(PATIENCE).until(() -> ETCD.status(2).getLeader() == 0);
    registration.dispose();
    await().atMost(PATIENCE).until(() -> revocations.ended.get() >= 4);
    ETCD.start(0);
    ETCD.start(1);
    view.until();
  }
}
