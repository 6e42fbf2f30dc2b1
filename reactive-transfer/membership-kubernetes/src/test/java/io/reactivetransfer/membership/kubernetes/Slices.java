package io.reactivetransfer.membership.kubernetes;

import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Node;
import java.util.List;

/** Slices as Kubernetes writes them for the service prefill in the namespace llm. */
final class Slices {

  static final int PORT = 7400;

  private Slices() {}

  static EndpointSlice slice(String name, Endpoint... endpoints) {
    return slice(name, "IPv4", "prefill", endpoints);
  }

  static EndpointSlice slice(String name, String type, String service, Endpoint... endpoints) {
    return new EndpointSliceBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("llm")
        .addToLabels("kubernetes.io/service-name", service)
        .endMetadata()
        .withAddressType(type)
        .addNewPort()
        .withName("metrics")
        .withPort(9090)
        .endPort()
        .addNewPort()
        .withName("engine")
        .withPort(PORT)
        .endPort()
        .withEndpoints(endpoints)
        .build();
  }

  /** One that is ready. */
  static Endpoint pod(String name, String address) {
    return pod(name, address, true, true, false);
  }

  static Endpoint pod(
      String name, String address, Boolean isReady, Boolean isServing, Boolean isTerminating) {
    return new EndpointBuilder()
        .withAddresses(List.of(address))
        .withNewConditions(isReady, isServing, isTerminating)
        .withNewTargetRef()
        .withKind("Pod")
        .withNamespace("llm")
        .withName(name)
        .endTargetRef()
        .build();
  }

  /** What comes of one. */
  static Node node(String name, String address) {
    return Node.of(name, "prefill", new HostPort(address, PORT));
  }
}
