package io.reactivetransfer.membership.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.membership.Membership;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.scheduler.Schedulers;

/** What a subscriber believes, by the changes that it was told. */
final class View extends BaseSubscriber<NodeChange> {

  final List<NodeChange> changes = new CopyOnWriteArrayList<>();
  private final Map<String, Node> nodes = new ConcurrentHashMap<>();
  private final boolean isSlow;
  private volatile Throwable error;

  private View(boolean isSlow) {
    this.isSlow = isSlow;
  }

  /** Of one who subscribes, and later cancels, where nothing may block. */
  static View of(Membership membership) {
    View view = new View(false);
    membership
        .nodes()
        .subscribeOn(Schedulers.parallel())
        .cancelOn(Schedulers.parallel())
        .subscribe(view);
    return view;
  }

  /** Of one who requests by himself. */
  static View slow(Membership membership) {
    View view = new View(true);
    membership.nodes().subscribe(view);
    return view;
  }

  @Override
  protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
    if (!isSlow) {
      requestUnbounded();
    }
  }

  @Override
  protected void hookOnNext(NodeChange change) {
    changes.add(change); // before the nodes, by which a test knows that it was told
    Node before =
        change instanceof NodeChange.Left left
            ? nodes.remove(left.node().name())
            : nodes.put(change.node().name(), change.node());
    boolean isJoined = change instanceof NodeChange.Joined;
    assertThat(before == null).as("%s after %s", change, before).isEqualTo(isJoined);
  }

  @Override
  protected void hookOnError(Throwable failure) {
    error = failure;
  }

  List<Node> nodes() {
    return List.copyOf(nodes.values());
  }

  void until(Node... expected) {
    await()
        .atMost(ApiServer.PATIENCE)
        .untilAsserted(() -> {
          assertThat(error).isNull();
          assertThat(nodes.values()).containsExactlyInAnyOrder(expected);
        });
  }

  Throwable untilError() {
    await().atMost(ApiServer.PATIENCE).until(() -> error != null);
    return error;
  }
}
