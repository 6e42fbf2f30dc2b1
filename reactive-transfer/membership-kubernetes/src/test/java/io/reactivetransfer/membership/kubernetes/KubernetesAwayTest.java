package io.reactivetransfer.membership.kubernetes;

import static io.reactivetransfer.membership.kubernetes.ApiServer.PATIENCE;
import static io.reactivetransfer.membership.kubernetes.Slices.node;
import static io.reactivetransfer.membership.kubernetes.Slices.pod;
import static io.reactivetransfer.membership.kubernetes.Slices.slice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.reactivetransfer.membership.MembershipException;
import io.reactivetransfer.membership.NodeChange.Changed;
import io.reactivetransfer.membership.NodeChange.Joined;
import io.reactivetransfer.membership.NodeChange.Left;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An API server that cannot be reached, or has forgotten what happened. */
class KubernetesAwayTest {

  @RegisterExtension final ApiServer api = ApiServer.keepingSlices();

  private KubernetesMembership.Builder prefills() {
    return KubernetesMembership.service(api.client(), "prefill", "engine");
  }

  /** More often than the client does before the informer hears of it. */
  private void untilItHasTried() {
    await().atMost(PATIENCE).until(() -> api.way().refused.get() >= 5);
  }

  /** For longer than an informer waits that has tried as often as it can until then. */
  private void untilNobodyTries() {
    AtomicInteger before = new AtomicInteger(-1);
    await()
        .atMost(PATIENCE)
        .during(Duration.ofMillis(500))
        .until(() -> {
          int now = api.way().refused.get();
          return before.getAndSet(now) == now;
        });
  }

  @Test
  void whoSubscribesBeforeItIsThereGetsTheNodesWhenItIs() throws Exception {
    api.slice(slice("s1", pod("a", "10.0.0.1"))).create();
    api.way().cut();
    View view = View.of(prefills().build());
    untilItHasTried();
    assertThat(view.changes).isEmpty();
    api.way().mend();
    view.until(node("a", "10.0.0.1"));
  }

  /** What left meanwhile is in the next list only: the watch that it comes back with is too old. */
  @Test
  void nodesStayWhileItIsAwayAndWhatHappenedMeanwhileIsFoundByComparing() throws Exception {
    // Who moves is told to have left one slice before it is in the other.
    View view = View.of(prefills().grace(Duration.ofSeconds(10)).build());
    api.slice(slice("s1", pod("stays", "10.0.0.1"), pod("moves", "10.0.0.2"))).create();
    api.slice(slice("s2", pod("changes", "10.0.0.3"))).create();
    api.slice(slice("s3", pod("leaves", "10.0.0.4"))).create();
    view.until(
        node("stays", "10.0.0.1"),
        node("moves", "10.0.0.2"),
        node("changes", "10.0.0.3"),
        node("leaves", "10.0.0.4"));
    int before = view.changes.size();
    api.way().cut();
    api.slice(slice("s1", pod("stays", "10.0.0.1"))).update();
    api.slice(slice("s2", pod("changes", "10.0.0.9"), pod("moves", "10.0.0.2"))).update();
    api.slice(slice("s3")).delete();
    api.slice(slice("s4", pod("joins", "10.0.0.5"))).create();
    api.tooOld.set(1);
    untilItHasTried();
    assertThat(view.changes).hasSize(before);
    api.way().mend();
    view.until(
        node("stays", "10.0.0.1"),
        node("moves", "10.0.0.2"),
        node("changes", "10.0.0.9"),
        node("joins", "10.0.0.5"));
    assertThat(view.changes.subList(before, view.changes.size()))
        .containsExactlyInAnyOrder(
            new Changed(node("changes", "10.0.0.3"), node("changes", "10.0.0.9")),
            new Left(node("leaves", "10.0.0.4")),
            new Joined(node("joins", "10.0.0.5")));
    api.slice(slice("s4", pod("joins", "10.0.0.6"))).update();
    view.until(
        node("stays", "10.0.0.1"),
        node("moves", "10.0.0.2"),
        node("changes", "10.0.0.9"),
        node("joins", "10.0.0.6"));
  }

  @Test
  void aWatchThatIsTooOldBeginsAgainWithAListAndNobodyNotices() throws Exception {
    api.slice(slice("s1", pod("a", "10.0.0.1"))).create();
    api.tooOld.set(3);
    View view = View.of(prefills().build());
    await().atMost(PATIENCE).until(() -> api.lists.get() == 4 && api.watches.get() == 1);
    api.slice(slice("s2", pod("b", "10.0.0.2"))).create();
    view.until(node("a", "10.0.0.1"), node("b", "10.0.0.2"));
    assertThat(view.changes).hasSize(2);
  }

  /** A list that the client is about to try once more is dropped, and no watch follows it. */
  @Test
  void aCancelWhileItIsAwayEndsTheTrying() throws Exception {
    api.way().cut();
    View view = View.of(prefills().build());
    untilItHasTried();
    view.cancel();
    untilNobodyTries();
    assertThat(api.lists).hasValue(0);
    api.way().mend();
    View.of(prefills().build());
    await().atMost(PATIENCE).until(() -> api.watches.get() == 1);
    assertThat(api.lists).hasValue(1);
  }

  /** It waits for a minute then, and hears nothing of the close. */
  @Test
  void aClientThatIsClosedWhileItIsAwayEndsTheSubscription() throws Exception {
    api.way().cut();
    KubernetesClient client = api.client(Duration.ofMinutes(1));
    View view = View.of(KubernetesMembership.service(client, "prefill", 7400).build());
    untilItHasTried();
    client.close();
    assertThat(view.untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessage("the client of Kubernetes was closed");
  }
}
