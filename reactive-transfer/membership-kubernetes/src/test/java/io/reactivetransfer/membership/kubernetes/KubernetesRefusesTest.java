package io.reactivetransfer.membership.kubernetes;

import static io.reactivetransfer.membership.kubernetes.Slices.node;
import static io.reactivetransfer.membership.kubernetes.Slices.pod;
import static io.reactivetransfer.membership.kubernetes.Slices.slice;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ListMetaBuilder;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceList;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceListBuilder;
import io.reactivetransfer.membership.MembershipException;
import io.reactivetransfer.membership.NodeChange.Joined;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Answers that are told beforehand: refusals, and what is asked for after a watch has ended. */
class KubernetesRefusesTest {

  private static final String SLICES = "/apis/discovery.k8s.io/v1/namespaces/llm/endpointslices?";
  private static final String SERVICE = "labelSelector=kubernetes.io%2Fservice-name%3Dprefill";

  @RegisterExtension final ApiServer api = ApiServer.asTold();

  private View view() {
    return View.of(KubernetesMembership.service(api.client(), "prefill", "engine").build());
  }

  private static Status status(int code, String message) {
    return new StatusBuilder().withCode(code).withMessage(message).build();
  }

  /** The first list may be an old one of the API server's; later ones may not. */
  private static String firstList() {
    return SLICES + SERVICE + "&resourceVersion=0";
  }

  private static String nextList() {
    return SLICES + SERVICE;
  }

  private static String watchFrom(String version) {
    return SLICES
        + "allowWatchBookmarks=true&"
        + SERVICE
        + "&resourceVersion="
        + version
        + "&timeoutSeconds=600&watch=true";
  }

  private static EndpointSliceList list(String version, EndpointSlice... slices) {
    return new EndpointSliceListBuilder()
        .withMetadata(new ListMetaBuilder().withResourceVersion(version).build())
        .withItems(slices)
        .build();
  }

  private static EndpointSlice at(String version, EndpointSlice slice) {
    slice.getMetadata().setResourceVersion(version);
    return slice;
  }

  @Test
  void whoMayNotListIsToldWhichRoleHeNeeds() {
    api.server()
        .expect()
        .get()
        .withPath(firstList())
        .andReturn(403, status(403, "endpointslices.discovery.k8s.io is forbidden"))
        .always();
    assertThat(view().untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessage(
            "expected to list and watch the EndpointSlices of the service prefill in the namespace"
                + " llm, got 403 (endpointslices.discovery.k8s.io is forbidden); see that there is"
                + " a namespace llm, and bind the client's service account to a Role in it with the"
                + " rule apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [list,"
                + " watch]");
  }

  @Test
  void whoMayNotWatchIsToldSoToo() {
    api.server().expect().get().withPath(firstList()).andReturn(200, list("7")).always();
    api.server()
        .expect()
        .get()
        .withPath(watchFrom("7"))
        .andReturn(403, status(403, "cannot watch"))
        .always();
    assertThat(view().untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("got 403")
        .hasMessageContaining("verbs: [list, watch]");
  }

  @Test
  void whoIsNotKnownIsToldSo() {
    api.server()
        .expect()
        .get()
        .withPath(firstList())
        .andReturn(401, status(401, "Unauthorized"))
        .always();
    assertThat(view().untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessageEndingWith(
            "got 401 (Unauthorized); look at the token or the certificate that the client has");
  }

  @Test
  void whatIsNoApiServerOrAnOldOneIsSaid() {
    assertThat(view().untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("got 404")
        .hasMessageContaining("see that there is a namespace llm")
        .hasMessageContaining("Kubernetes 1.21 or later");
  }

  @Test
  void whatIsOverloadedIsAskedAgain() {
    api.server().expect().get().withPath(firstList()).andReturn(503, "busy").times(4);
    api.server()
        .expect()
        .get()
        .withPath(firstList())
        .andReturn(200, list("7", slice("s1", pod("a", "10.0.0.1"))))
        .always();
    event("7", "ADDED", at("8", slice("s2", pod("b", "10.0.0.2"))));
    view().until(node("a", "10.0.0.1"), node("b", "10.0.0.2"));
  }

  private void noWatchFrom(String version) {
    api.server().expect().get().withPath(watchFrom(version)).andReturn(500, "starts").always();
  }

  /** Even where there has never been a watch: the nodes of the list were told. */
  @Test
  void aListThatIsRefusedAfterOneThatWorkedIsTriedAgain() {
    EndpointSliceList first = list("7", at("3", slice("s1", pod("a", "10.0.0.1"))));
    api.server().expect().get().withPath(firstList()).andReturn(200, first).once();
    noWatchFrom("7");
    api.server().expect().get().withPath(nextList()).andReturn(403, status(403, "roles")).times(2);
    EndpointSliceList next = list("20", at("3", slice("s1", pod("a", "10.0.0.1"))));
    api.server().expect().get().withPath(nextList()).andReturn(200, next).once();
    event("20", "ADDED", at("21", slice("s2", pod("b", "10.0.0.2"))));
    View view = view();
    view.until(node("a", "10.0.0.1"), node("b", "10.0.0.2"));
    assertThat(view.changes).hasSize(2).allMatch(Joined.class::isInstance);
  }

  @Test
  void aWatchThatIsRefusedBehindALaterListIsFinalWhereThereNeverWasOne() {
    EndpointSliceList first = list("7", at("3", slice("s1", pod("a", "10.0.0.1"))));
    api.server().expect().get().withPath(firstList()).andReturn(200, first).once();
    noWatchFrom("7");
    api.server().expect().get().withPath(nextList()).andReturn(200, list("20")).always();
    api.server()
        .expect()
        .get()
        .withPath(watchFrom("20"))
        .andReturn(403, status(403, "cannot watch"))
        .always();
    assertThat(view().untilError()).hasMessageContaining("got 403");
  }

  /** And refusals of later are no reason to forget anybody. */
  @Test
  void aWatchThatEndsGoesOnWhereItWas() {
    api.server()
        .expect()
        .get()
        .withPath(firstList())
        .andReturn(200, list("7", at("3", slice("s1", pod("a", "10.0.0.1")))))
        .once();
    event("7", "ADDED", at("8", slice("s2", pod("b", "10.0.0.2"))));
    event("8", "ADDED", at("9", slice("s3", pod("c", "10.0.0.3"))));
    api.server()
        .expect()
        .get()
        .withPath(watchFrom("9"))
        .andReturn(403, status(403, "a role is being changed"))
        .times(3);
    api.server()
        .expect()
        .get()
        .withPath(watchFrom("9"))
        .andUpgradeToWebSocket()
        .open()
        .immediately()
        .andEmit(new WatchEvent(status(410, "too old"), "ERROR"))
        .done()
        .once();
    api.server().expect().get().withPath(nextList()).andReturn(403, status(403, "again")).times(2);
    api.server()
        .expect()
        .get()
        .withPath(nextList())
        .andReturn(
            200,
            list(
                "20",
                at("3", slice("s1", pod("a", "10.0.0.1"))),
                at("8", slice("s2", pod("b", "10.0.0.2"))),
                at("9", slice("s3", pod("c", "10.0.0.3"))),
                at("15", slice("s4", pod("d", "10.0.0.4")))))
        .once();
    event("20", "ADDED", at("21", slice("s5", pod("e", "10.0.0.5"))));
    View view = view();
    view.until(
        node("a", "10.0.0.1"),
        node("b", "10.0.0.2"),
        node("c", "10.0.0.3"),
        node("d", "10.0.0.4"),
        node("e", "10.0.0.5"));
    assertThat(view.changes).hasSize(5).allMatch(Joined.class::isInstance);
  }

  /** One event, and then the end of the watch. */
  private void event(String from, String type, EndpointSlice slice) {
    api.server()
        .expect()
        .get()
        .withPath(watchFrom(from))
        .andUpgradeToWebSocket()
        .open()
        .immediately()
        .andEmit(new WatchEvent(slice, type))
        .done()
        .once();
  }
}
