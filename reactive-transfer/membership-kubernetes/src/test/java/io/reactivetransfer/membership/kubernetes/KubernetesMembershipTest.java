package io.reactivetransfer.membership.kubernetes;

import static io.reactivetransfer.membership.kubernetes.ApiServer.PATIENCE;
import static io.reactivetransfer.membership.kubernetes.Slices.node;
import static io.reactivetransfer.membership.kubernetes.Slices.pod;
import static io.reactivetransfer.membership.kubernetes.Slices.slice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.reactivetransfer.membership.Membership;
import io.reactivetransfer.membership.MembershipException;
import io.reactivetransfer.membership.NodeChange.Changed;
import io.reactivetransfer.membership.NodeChange.Joined;
import io.reactivetransfer.membership.NodeChange.Left;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Slices that come, change and go, at an API server that answers. */
class KubernetesMembershipTest {

  @RegisterExtension final ApiServer api = ApiServer.keepingSlices();

  private KubernetesMembership.Builder prefills() {
    return KubernetesMembership.service(api.client(), "prefill", "engine")
        .grace(Duration.ofMillis(50));
  }

  @Test
  void allSlicesOfTheServiceAreItsNodes() {
    api.slice(slice("s1", pod("a", "10.0.0.1"), pod("b", "10.0.0.2"))).create();
    api.slice(slice("other", "IPv4", "decode", pod("x", "10.0.0.9"))).create();
    View view = View.of(prefills().build());
    view.until(node("a", "10.0.0.1"), node("b", "10.0.0.2"));
    api.slice(slice("s2", pod("b", "10.0.0.2"), pod("c", "10.0.0.3"))).create();
    view.until(node("a", "10.0.0.1"), node("b", "10.0.0.2"), node("c", "10.0.0.3"));
    api.slice(slice("s1", pod("a", "10.0.0.7"))).update();
    view.until(node("a", "10.0.0.7"), node("b", "10.0.0.2"), node("c", "10.0.0.3"));
    api.slice(slice("s2")).delete();
    view.until(node("a", "10.0.0.7"));
    assertThat(view.changes)
        .containsExactlyInAnyOrder(
            new Joined(node("a", "10.0.0.1")),
            new Joined(node("b", "10.0.0.2")),
            new Joined(node("c", "10.0.0.3")),
            new Changed(node("a", "10.0.0.1"), node("a", "10.0.0.7")),
            new Left(node("b", "10.0.0.2")),
            new Left(node("c", "10.0.0.3")));
  }

  @Test
  void readinessDecidesUnlessMoreIsWanted() {
    Membership ready = prefills().build();
    KubernetesClient client = api.client();
    Membership serving =
        KubernetesMembership.service(client, "prefill", 7400).state(EndpointState.SERVING).build();
    Membership any =
        KubernetesMembership.service(client, "prefill", 7400).state(EndpointState.ANY).build();
    api.slice(
            slice(
                "s1",
                pod("ready", "10.0.0.1"),
                pod("ends", "10.0.0.2", false, true, true),
                pod("begins", "10.0.0.3", false, false, false)))
        .create();
    View readyView = View.of(ready);
    readyView.until(node("ready", "10.0.0.1"));
    View.of(serving).until(node("ready", "10.0.0.1"), node("ends", "10.0.0.2"));
    View.of(any)
        .until(node("ready", "10.0.0.1"), node("ends", "10.0.0.2"), node("begins", "10.0.0.3"));
    api.slice(slice("s1", pod("ready", "10.0.0.1", false, true, true), pod("begins", "10.0.0.3")))
        .update();
    readyView.until(node("begins", "10.0.0.3"));
  }

  @Test
  void aNodeThatMovesToAnotherSliceStays() {
    View view = View.of(prefills().grace(Duration.ofMinutes(1)).build());
    api.slice(slice("s1", pod("a", "10.0.0.1"), pod("b", "10.0.0.2"))).create();
    view.until(node("a", "10.0.0.1"), node("b", "10.0.0.2"));
    api.slice(slice("s1", pod("a", "10.0.0.1"))).update();
    api.slice(slice("s2", pod("b", "10.0.0.2"), pod("c", "10.0.0.3"))).create();
    view.until(node("a", "10.0.0.1"), node("b", "10.0.0.2"), node("c", "10.0.0.3"));
    assertThat(view.changes).hasSize(3).allMatch(Joined.class::isInstance);
  }

  @Test
  void aServiceThatComesLateHasNodesThen() {
    View view = View.of(prefills().namespace("llm").role("p").build());
    await().atMost(PATIENCE).until(() -> api.watches.get() == 1);
    assertThat(view.changes).isEmpty();
    api.slice(slice("s1", pod("a", "10.0.0.1"))).create();
    await().atMost(PATIENCE).until(() -> view.changes.size() == 1);
    assertThat(view.changes.getFirst().node().role()).isEqualTo("p");
  }

  @Test
  void whoIsSlowGetsWhatIsSoThen() {
    Membership membership = prefills().build();
    api.slice(slice("s1", pod("a", "10.0.0.1"))).create();
    View slow = View.slow(membership);
    View fast = View.of(membership);
    slow.request(1);
    slow.until(node("a", "10.0.0.1"));
    fast.until(node("a", "10.0.0.1"));
    for (int i = 2; i <= 50; i++) {
      api.slice(slice("s1", pod("a", "10.0.0." + i), pod("b", "10.0.1." + i))).update();
    }
    fast.until(node("a", "10.0.0.50"), node("b", "10.0.1.50"));
    assertThat(slow.changes).hasSize(1);
    // Each of them watches by itself, and this one may lag behind.
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          slow.request(1);
          assertThat(slow.nodes())
              .containsExactlyInAnyOrder(node("a", "10.0.0.50"), node("b", "10.0.1.50"));
        });
    assertThat(slow.changes).as("98 if each was kept").hasSizeLessThan(50);
  }

  @Test
  void aCancelEndsTheWatchAndNothingElse() {
    Membership membership = prefills().build();
    api.slice(slice("s1", pod("a", "10.0.0.1"))).create();
    View stays = View.of(membership);
    View goes = View.of(membership);
    stays.until(node("a", "10.0.0.1"));
    goes.until(node("a", "10.0.0.1"));
    await().atMost(PATIENCE).until(() -> api.watches.get() == 2);
    goes.cancel();
    await().atMost(PATIENCE).until(() -> api.watches.get() == 1);
    api.slice(slice("s1", pod("a", "10.0.0.2"))).update();
    stays.until(node("a", "10.0.0.2"));
    assertThat(goes.changes).hasSize(1);
    stays.cancel();
    await().atMost(PATIENCE).until(() -> api.watches.get() == 0);
  }

  @Test
  void whoCancelsAtOnceLeavesNothing() {
    Membership membership = prefills().build();
    for (int i = 0; i < 20; i++) {
      View.of(membership).cancel();
    }
    View view = View.of(membership);
    api.slice(slice("s1", pod("a", "10.0.0.1"))).create();
    view.until(node("a", "10.0.0.1"));
    await().atMost(PATIENCE).until(() -> api.watches.get() == 1);
    view.cancel();
    await().atMost(PATIENCE).until(() -> api.watches.get() == 0);
  }

  @Test
  void tooManyNodesAreSaidAndTheWatchEnds() {
    View view = View.of(prefills().maxNodes(2).build());
    api.slice(slice("s1", pod("a", "10.0.0.1"), pod("b", "10.0.0.2"))).create();
    view.until(node("a", "10.0.0.1"), node("b", "10.0.0.2"));
    api.slice(slice("s2", pod("c", "10.0.0.3"))).create();
    assertThat(view.untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessageStartingWith("expected at most 2 nodes, got more");
    await().atMost(PATIENCE).until(() -> api.watches.get() == 0);
  }

  @Test
  void aClientThatIsClosedEndsTheSubscription() {
    KubernetesClient client = api.client();
    Membership membership = KubernetesMembership.service(client, "prefill", 7400).build();
    api.slice(slice("s1", pod("a", "10.0.0.1"))).create();
    View view = View.of(membership);
    view.until(node("a", "10.0.0.1"));
    client.close();
    assertThat(view.untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessage("the client of Kubernetes was closed");
    assertThat(View.of(membership).untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessage("the client of Kubernetes was closed");
  }

  @Test
  void optionsAreChecked() {
    KubernetesClient client = api.client();
    assertThatThrownBy(() -> KubernetesMembership.service(client, "a,b", 1))
        .hasMessage(
            "expected the name of a service of 1 to 63 small letters, digits and '-', got 'a,b'");
    assertThatThrownBy(() -> KubernetesMembership.service(client, "a", "Engine"))
        .hasMessageStartingWith("expected the name of a port");
    assertThatThrownBy(() -> KubernetesMembership.service(client, "a", 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> prefills().namespace(""))
        .hasMessageStartingWith("expected a namespace");
    assertThatThrownBy(() -> prefills().role("p/q")).hasMessageStartingWith("expected a role");
    assertThatThrownBy(() -> prefills().grace(Duration.ofHours(1)))
        .hasMessage("expected a grace of PT0S to PT1M, got PT1H");
    assertThatThrownBy(() -> prefills().maxNodes(0))
        .hasMessageStartingWith("expected 1 to 100,000");
    try (KubernetesClient nowhere =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:1").build())
            .build()) {
      assertThatThrownBy(() -> KubernetesMembership.service(nowhere, "prefill", 1).build())
          .hasMessage(
              "expected the namespace of the service prefill, got none from the client; set"
                  + " namespace");
    }
  }
}
