package io.reactivetransfer.membership.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Membership;
import io.reactivetransfer.membership.MembershipException;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange;
import io.reactivetransfer.membership.NodeChanges;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Nodes that are the endpoints of a service of Kubernetes 1.21 or later, all with one role.
 *
 * <pre>{@code
 * KubernetesClient client = new KubernetesClientBuilder().build();
 * Membership prefills = KubernetesMembership.service(client, "prefill", "engine").build();
 * }</pre>
 *
 * <p>Pods are not registered here: Kubernetes enters a pod when its labels are what the service
 * selects, and takes it away when it ends. So this is no {@code NodeRegistry}.
 *
 * <p><b>Nodes.</b> The endpoints of all EndpointSlices of the service, each once. The name of a
 * node is that of its pod, or address and port where an endpoint is no pod. Labels are {@link
 * #ZONE} and {@link #NODE}, where Kubernetes says them.
 *
 * <p><b>When it asks.</b> On subscription it lists the slices, then watches them from there on;
 * both by an informer of the client. A watch that has ended goes on where it was; one that is too
 * old (410 Gone) begins again with a list, which is compared with what was known. While the API
 * server is away, nodes stay as they are, and it is tried again, as {@code Config} of the client
 * says: after 1 s and then less and less often, every 32 s at last, unless {@code
 * watchReconnectInterval} is set.
 *
 * <p><b>Errors.</b> What the API server refuses at first, because the client may not read the
 * slices or is not known, or because there is no such API, ends the subscription with a {@link
 * MembershipException} that says what to do; so does a watch that is refused directly behind a list
 * that worked, as long as there has never been one. Later refusals are tried again. A service that
 * does not exist has no nodes, which a warning says, and they may come later; so is it with a
 * namespace where the client may list slices in all of them, while with a Role it is refused. A
 * client that is closed ends the subscription with a {@link MembershipException}.
 *
 * <p><b>Threads.</b> Slices are read on a worker of {@code Schedulers.parallel()}, and subscribers
 * are signalled on the scheduler of {@link Builder#signalScheduler}. With {@code
 * Schedulers.immediate()} that is the same worker, where a subscriber must not block.
 *
 * <p><b>The HTTP client.</b> Where there are others of fabric8 beside that by the JDK, fabric8 may
 * take any of them; {@code KubernetesClientBuilder.withHttpClientFactory} says which.
 *
 * <p><b>Who owns what.</b> The client stays the caller's, who closes it when nobody subscribes any
 * more. Each subscription has an informer of its own, which ends with it, in the background, so
 * there is nothing else to be closed.
 */
public final class KubernetesMembership implements Membership {

  /** The label that holds the zone in which the pod runs. */
  public static final String ZONE = "zone";

  /** The label that holds the name of the machine, a node of Kubernetes, on which the pod runs. */
  public static final String NODE = "node";

  private final KubernetesClient client;
  private final ServiceQuery query;
  private final int maxNodes;
  private final Scheduler signals;

  private KubernetesMembership(Builder builder, String namespace) {
    client = builder.client;
    query =
        new ServiceQuery(
            namespace,
            builder.service,
            builder.role,
            builder.port,
            builder.type,
            builder.state,
            builder.grace);
    maxNodes = builder.maxNodes;
    signals = builder.signals;
  }

  /**
   * The endpoints of a service, whose engines listen at a port that it names.
   *
   * @param client stays the caller's
   * @param service its name
   * @param portName the name of one of its ports, as the service has it; a slice says which number
   *     that is for its endpoints
   */
  public static Builder service(KubernetesClient client, String service, String portName) {
    Builder.check("the name of a port", portName);
    return new Builder(client, service, new SlicePort(portName, 0));
  }

  /**
   * The endpoints of a service, whose engines all listen at one port. The service need not have it,
   * or any.
   *
   * @param client stays the caller's
   * @param service its name
   * @param port of the control channels of their engines
   */
  public static Builder service(KubernetesClient client, String service, int port) {
    new HostPort("any", port);
    return new Builder(client, service, new SlicePort(null, port));
  }

  @Override
  public Flux<NodeChange> nodes() {
    return NodeChanges.of(
        sink -> SliceWatch.start(client, query, maxNodes, sink), maxNodes, signals);
  }

  /**
   * Sets what differs from the defaults: the namespace of the client, the name of the service as
   * role, endpoints that are ready, the first type of address that a pod has, 1 s of grace, at most
   * 10,000 nodes, signals on {@code Schedulers.parallel()}.
   */
  public static final class Builder {

    /** Names of services, namespaces and ports are labels of DNS. */
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    private final KubernetesClient client;
    private final String service;
    private final SlicePort port;
    private @Nullable String namespace;
    private String role;
    private @Nullable AddressType type;
    private EndpointState state = EndpointState.READY;
    private Duration grace = Duration.ofSeconds(1);
    private int maxNodes = 10_000;
    private Scheduler signals = Schedulers.parallel();

    private Builder(KubernetesClient client, String service, SlicePort port) {
      this.client = Objects.requireNonNull(client, "client");
      check("the name of a service", service);
      this.service = service;
      this.port = port;
      role = service;
    }

    private static void check(String what, String name) {
      if (!LABEL.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "expected %s of 1 to 63 small letters, digits and '-', got '%s'".formatted(what, name));
      }
    }

    /** The namespace of the service; unless set, that of the client, which is its pod's own. */
    public Builder namespace(String namespace) {
      check("a namespace", namespace);
      this.namespace = namespace;
      return this;
    }

    /** The role of all nodes; unless set, the name of the service. */
    public Builder role(String role) {
      Node.of("any", role, new HostPort("any", 1));
      this.role = role;
      return this;
    }

    /** Which endpoints are nodes. */
    public Builder state(EndpointState state) {
      this.state = Objects.requireNonNull(state, "state");
      return this;
    }

    /**
     * The only type of addresses to take. Unless set, a pod that has several, as in a cluster with
     * two stacks, has that which comes first in {@link AddressType}; but when it begins or ends, it
     * may have the other one for a moment, because Kubernetes writes them one after the other. If
     * no slice has this type, there are no nodes, and a warning says which types there are.
     */
    public Builder addressType(AddressType type) {
      this.type = Objects.requireNonNull(type, "type");
      return this;
    }

    /**
     * How long a node stays that is in no slice any more, 0 to 1 min: Kubernetes may take it out of
     * one before it enters it into another. It leaves earlier where a new one would be one more
     * than {@code maxNodes}. One whose slice says that it is not ready, or is about to end, leaves
     * at once.
     */
    public Builder grace(Duration grace) {
      if (grace.isNegative() || grace.compareTo(Duration.ofMinutes(1)) > 0) {
        throw new IllegalArgumentException("expected a grace of PT0S to PT1M, got " + grace);
      }
      this.grace = grace;
      return this;
    }

    /**
     * How many nodes there may be, 1 to 100,000. Where there are more, {@link
     * KubernetesMembership#nodes()} ends with a {@code MembershipException}.
     */
    public Builder maxNodes(int maxNodes) {
      if (maxNodes < 1 || maxNodes > 100_000) {
        throw new IllegalArgumentException("expected 1 to 100,000 nodes, got " + maxNodes);
      }
      this.maxNodes = maxNodes;
      return this;
    }

    /** Where subscribers are signalled; it stays the caller's. */
    public Builder signalScheduler(Scheduler signals) {
      this.signals = Objects.requireNonNull(signals, "signals");
      return this;
    }

    /**
     * Asks nothing yet.
     *
     * @throws IllegalArgumentException if neither this nor the client has a namespace
     */
    public KubernetesMembership build() {
      String chosen = namespace == null ? client.getNamespace() : namespace;
      if (chosen == null) {
        throw new IllegalArgumentException(
            "expected the namespace of the service %s, got none from the client; set namespace"
                .formatted(service));
      }
      return new KubernetesMembership(this, chosen);
    }
  }
}
