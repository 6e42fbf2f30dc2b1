package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two endpoints, of which one is well, and the other one has lost the rest of its cluster and can
 * be reached. Calls go to both in turn, so of two in a row one goes to that.
 */
class EtcdWithoutLeaderTest {

  @RegisterExtension static final EtcdServer LOST = EtcdServer.ofThree();
  @RegisterExtension static final EtcdServer WELL = new EtcdServer();

  private final List<EtcdMembership> opened = new ArrayList<>();

  private static Node node(int number) {
    return Node.of("node-" + number, "decode", new HostPort("10.0.0.7", 7400));
  }

  private EtcdMembership open(ClientBuilder client) {
    EtcdMembership membership = EtcdMembership.builder(client).build();
    opened.add(membership);
    return membership;
  }

  private EtcdMembership openToBoth() {
    return open(Client.builder().endpoints(LOST.member(0).endpoint(), WELL.member(0).endpoint()));
  }

  @AfterEach
  void close() {
    opened.forEach(each -> each.close().block(PATIENCE));
  }

  @Test
  void nodesEnterAndAreSeenByTheOneThatIsWell() throws Exception {
    LOST.member(1).kill();
    LOST.member(2).kill();
    await().atMost(PATIENCE).until(() -> LOST.status(0).getLeader() == 0);
    View near = new View(open(WELL.builder()));
    EtcdMembership membership = openToBoth();
    View view = new View(membership);
    List<Node> entered = new CopyOnWriteArrayList<>();
    List<Node> nodes = List.of(node(1), node(2));
    for (Node each : nodes) { // one after the other, since calls of several would share the turns
      membership.register(each).onErrorComplete().subscribe(entered::add);
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(entered).contains(each));
    }
    near.until(nodes.toArray(Node[]::new));
    view.until(nodes.toArray(Node[]::new));
  }
}
