package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.common.exception.CompactedException;
import io.etcd.jetcd.options.CompactOption;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange;
import io.reactivetransfer.membership.NodeChange.Changed;
import io.reactivetransfer.membership.NodeChange.Joined;
import io.reactivetransfer.membership.NodeChange.Left;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.test.StepVerifier;

/** An etcd that is killed, stopped, started late, or has forgotten what happened. */
class EtcdAwayTest {

  private static final String PREFIX = "/reactive-transfer/nodes/";

  @RegisterExtension static final EtcdServer ETCD = new EtcdServer();

  private final List<EtcdMembership> opened = new ArrayList<>();

  private static Node node(String name, int port) {
    return Node.of(name, "decode", new HostPort("10.0.0.7", port));
  }

  private EtcdMembership open(int leaseSeconds) {
    EtcdMembership membership =
        EtcdMembership.builder(ETCD.builder())
            .lease(Duration.ofSeconds(leaseSeconds))
            .callTimeout(Duration.ofSeconds(1))
            .build();
    opened.add(membership);
    return membership;
  }

  @AfterEach
  void close() {
    opened.forEach(each -> each.close().block(PATIENCE));
  }

  private static ByteSequence key(Node node) {
    return ByteSequence.from(PREFIX + node.name(), StandardCharsets.UTF_8);
  }

  private static long put(Node node) throws Exception {
    return ETCD.client()
        .getKVClient()
        .put(key(node), ByteSequence.from(NodeJson.write(node)))
        .get()
        .getHeader()
        .getRevision();
  }

  @Test
  void nodesStayWhileEtcdIsAwayAndChangesGoOnAfterwards() throws Exception {
    View view = new View(open(10));
    List<Node> entered = new CopyOnWriteArrayList<>();
    open(60).register(node("a", 1)).onErrorComplete().subscribe(entered::add);
    put(node("b", 1));
    view.until(node("a", 1), node("b", 1));
    // Others may see a node before the answer to who has entered it comes.
    await().atMost(PATIENCE).until(() -> !entered.isEmpty());
    ETCD.kill();
    Disposable late = open(10).register(node("late", 1)).onErrorComplete().subscribe();
    ETCD.start();
    view.until(node("a", 1), node("b", 1), node("late", 1));
    put(node("b", 2));
    view.until(node("a", 1), node("b", 2), node("late", 1));
    assertThat(view.changes)
        .containsExactlyInAnyOrder(
            new Joined(node("a", 1)),
            new Joined(node("b", 1)),
            new Joined(node("late", 1)),
            new Changed(node("b", 1), node("b", 2)));
    late.dispose();
    view.until(node("a", 1), node("b", 2));
    assertThat(entered).isNotEmpty().containsOnly(node("a", 1));
  }

  @Test
  void whoSubscribesBeforeEtcdIsThereGetsTheNodesWhenItIs() throws Exception {
    put(node("a", 1));
    ETCD.kill();
    View view = new View(open(10));
    ETCD.start();
    view.until(node("a", 1));
  }

  /** It has ended the lease when it goes on, and nobody has cancelled the registration. */
  @Test
  void aRegistrationWhoseLeaseWasLostEntersItsNodeAgain() throws Exception {
    View view = new View(open(1));
    List<Node> entered = new CopyOnWriteArrayList<>();
    Disposable registration =
        open(1).register(node("a", 1)).onErrorComplete().subscribe(entered::add);
    view.until(node("a", 1));
    // Others may see a node before the answer to who has entered it comes.
    await().atMost(PATIENCE).until(() -> !entered.isEmpty());
    ETCD.signal("STOP");
    await().pollDelay(Duration.ofSeconds(3)).until(() -> true); // the lease is over in it
    ETCD.signal("CONT");
    await().atMost(PATIENCE).until(() -> entered.size() >= 2);
    view.until(node("a", 1));
    registration.dispose();
    view.until();
  }

  /** No kill reaches a lease: the process that kept it is gone, and so is its node. */
  @Test
  void aNodeWhoseLeaseNobodyKeepsGoesByItself() throws Exception {
    View view = new View(open(1));
    put(node("probe", 1));
    view.until(node("probe", 1)); // it watches
    long lease = ETCD.client().getLeaseClient().grant(10).get().getID();
    ETCD.client()
        .getKVClient()
        .put(
            key(node("a", 1)),
            ByteSequence.from(NodeJson.write(node("a", 1))),
            io.etcd.jetcd.options.PutOption.builder().withLeaseId(lease).build())
        .get();
    NodeChange joined = new Joined(node("a", 1));
    await().atMost(PATIENCE).until(() -> view.changes.contains(joined));
    view.until(node("probe", 1));
    assertThat(view.changes)
        .containsExactly(new Joined(node("probe", 1)), joined, new Left(node("a", 1)));
  }

  @Test
  void aLeaseThatIsKeptOutlivesItself() throws Exception {
    View view = new View(open(10));
    open(10).register(node("a", 1)).onErrorComplete().subscribe();
    view.until(node("a", 1));
    await().atMost(PATIENCE).pollDelay(Duration.ofSeconds(11)).until(() -> true); // a lease
    view.until(node("a", 1));
    assertThat(view.changes).containsExactly(new Joined(node("a", 1)));
  }

  /** Calls that were given up would all run when etcd is back. */
  @Test
  void nothingPilesUpWhileEtcdIsAway() throws Exception {
    InFlight calls = new InFlight();
    ETCD.kill();
    EtcdMembership membership =
        EtcdMembership.builder(ETCD.builder().interceptor(calls))
            .callTimeout(Duration.ofMillis(200))
            .build();
    opened.add(membership);
    Disposable registration = membership.register(node("a", 1)).onErrorComplete().subscribe();
    await().atMost(PATIENCE).until(() -> calls.begun.get() >= 4);
    registration.dispose();
    await().atMost(PATIENCE).until(() -> calls.ended.get() == calls.begun.get());
    ETCD.start();
  }

  /** Its lease, which is long, was left alone in the hope of a next attempt. */
  @Test
  void aCancelBetweenTwoAttemptsTakesTheNodeAway() throws Exception {
    View view = new View(open(10));
    try (Relay cut = new Relay(ETCD.port())) {
      EtcdMembership far =
          EtcdMembership.builder(cut.builder())
              .lease(Duration.ofMinutes(10))
              .callTimeout(Duration.ofSeconds(20))
              .build();
      opened.add(far);
      Disposable registration = far.register(node("a", 1)).onErrorComplete().subscribe();
      view.until(node("a", 1));
      cut.cut();
      await().pollDelay(Duration.ofSeconds(1)).until(() -> true); // it has seen that by now
      registration.dispose();
      cut.mend();
      view.until();
    }
  }

  @Test
  void aWatchFromWhatWasCompactedSaysSo() throws Exception {
    put(node("a", 1));
    long last = put(node("a", 2));
    ETCD.client().getKVClient().compact(last).get();
    StepVerifier.create(
            new EtcdCalls(ETCD::client, PATIENCE).watch(key(node("a", 1)), false, last - 1))
        .thenConsumeWhile(_ -> true)
        .expectError(CompactedException.class)
        .verify(PATIENCE);
  }

  /** What happened while it could not see it is not in etcd any more when it comes back. */
  @Test
  void whatHappenedMeanwhileIsFoundByComparing() throws Exception {
    put(node("stays", 1));
    put(node("changes", 1));
    put(node("leaves", 1));
    try (Relay cut = new Relay(ETCD.port())) {
      EtcdMembership far = EtcdMembership.builder(cut.builder()).build();
      opened.add(far);
      View view = new View(far);
      view.until(node("stays", 1), node("changes", 1), node("leaves", 1));
      int before = view.changes.size();
      cut.cut();
      put(node("changes", 2));
      put(node("passes", 1));
      ETCD.client().getKVClient().delete(key(node("passes", 1))).get();
      ETCD.client().getKVClient().delete(key(node("leaves", 1))).get();
      long last = put(node("joins", 1));
      ETCD.client()
          .getKVClient()
          .compact(last, CompactOption.builder().withCompactPhysical(true).build())
          .get();
      cut.mend();
      view.until(node("stays", 1), node("changes", 2), node("joins", 1));
      assertThat(view.changes.subList(before, view.changes.size()))
          .containsExactlyInAnyOrder(
              new Changed(node("changes", 1), node("changes", 2)),
              new Left(node("leaves", 1)),
              new Joined(node("joins", 1)));
      put(node("joins", 2));
      view.until(node("stays", 1), node("changes", 2), node("joins", 2));
    }
  }
}
