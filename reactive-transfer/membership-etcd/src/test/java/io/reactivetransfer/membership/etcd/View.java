package io.reactivetransfer.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.membership.Membership;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** What a subscriber believes, by the changes that it was told. */
final class View {

  final List<NodeChange> changes = new CopyOnWriteArrayList<>();
  private final Map<String, Node> nodes = new ConcurrentHashMap<>();
  private volatile @Nullable Throwable error;
  private final Disposable subscription;

  View(Membership membership) {
    subscription = membership.nodes().subscribe(this::told, failure -> error = failure);
  }

  private void told(NodeChange change) {
    changes.add(change); // before the nodes, by which a test knows that it was told
    Node before =
        change instanceof NodeChange.Left left
            ? nodes.remove(left.node().name())
            : nodes.put(change.node().name(), change.node());
    assertThat(before == null).as("%s after %s", change, before).isEqualTo(isJoined(change));
  }

  private static boolean isJoined(NodeChange change) {
    return change instanceof NodeChange.Joined;
  }

  void until(Node... expected) {
    await()
        .atMost(EtcdServer.PATIENCE)
        .untilAsserted(() -> assertThat(nodes.values()).containsExactlyInAnyOrder(expected));
    assertThat(error).isNull();
  }

  Throwable untilError() {
    await().atMost(EtcdServer.PATIENCE).until(() -> error != null);
    return error;
  }

  void cancel() {
    subscription.dispose();
  }
}
