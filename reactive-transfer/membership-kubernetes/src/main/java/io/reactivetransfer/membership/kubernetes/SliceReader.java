package io.reactivetransfer.membership.kubernetes;

import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * What slices say of nodes. An endpoint that is no node is as if not there. Not for several threads
 * at once.
 */
final class SliceReader {

  private static final Logger LOG = Loggers.getLogger(SliceReader.class);

  /** Of how many bad slices it remembers that it has warned of them; of more it does not warn. */
  private static final int MAX_LOGGED = 1_000;

  private static final int MAX_CLIPPED = 300;

  /** Kubernetes has three types; what else there may be is not remembered without end. */
  private static final int MAX_TYPES = 8;

  private final ServiceQuery query;
  private final Set<String> bad = new HashSet<>();
  private final SortedSet<String> otherTypes = new TreeSet<>();
  private boolean isTypeSeen;
  private boolean isTypeWarned;

  SliceReader(ServiceQuery query) {
    this.query = query;
  }

  List<Found> read(EndpointSlice slice) {
    String name = slice.getMetadata().getName();
    List<Endpoint> endpoints = Objects.requireNonNullElse(slice.getEndpoints(), List.of());
    AddressType type = AddressType.of(slice.getAddressType()).orElse(null);
    if (type == null || (query.type() != null && type != query.type())) {
      if (otherTypes.size() < MAX_TYPES) {
        otherTypes.add(clip(String.valueOf(slice.getAddressType())));
      }
      bad.remove(name);
      return List.of();
    }
    isTypeSeen = true;
    List<Found> found = new ArrayList<>();
    String reason = null;
    for (Endpoint endpoint : endpoints) {
      try {
        found.add(found(endpoint, type, query.port().in(slice)));
      } catch (IllegalArgumentException e) {
        reason = e.getMessage();
      } catch (RuntimeException e) { // such as of a null where the API has none
        reason = e.toString();
      }
    }
    log(name, reason);
    return found;
  }

  /** Once, if there are slices, but none with addresses of a type that is taken. */
  void warnOfTypes() {
    if (!isTypeSeen && !isTypeWarned && !otherTypes.isEmpty()) {
      isTypeWarned = true;
      LOG.warn(
          "expected EndpointSlices of {} with addressType {}, got only {}, so there are no nodes;"
              + " set addressType to what the service has, or leave it unset",
          query,
          query.type() == null ? List.of(AddressType.values()) : query.type(),
          otherTypes);
    }
  }

  /** The slice is gone: should it come back, it is warned of again. */
  void forget(EndpointSlice slice) {
    bad.remove(slice.getMetadata().getName());
  }

  private Found found(Endpoint endpoint, AddressType type, int port) {
    List<String> addresses = Objects.requireNonNullElse(endpoint.getAddresses(), List.of());
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("expected an address of each endpoint, got none");
    }
    // all of them mean the same, and whoever wants one is to take the first, says the API
    HostPort address = new HostPort(addresses.getFirst(), port);
    Map<String, String> labels = new HashMap<>();
    put(labels, KubernetesMembership.ZONE, endpoint.getZone());
    put(labels, KubernetesMembership.NODE, endpoint.getNodeName());
    Node node = new Node(name(endpoint, address), query.role(), address, labels);
    EndpointConditions conditions = endpoint.getConditions();
    return new Found(node, type, isCounted(conditions), isTerminating(conditions));
  }

  private static void put(Map<String, String> labels, String key, @Nullable String value) {
    if (value != null) {
      labels.put(key, value);
    }
  }

  private static String name(Endpoint endpoint, HostPort address) {
    ObjectReference target = endpoint.getTargetRef();
    return target != null && "Pod".equals(target.getKind()) && target.getName() != null
        ? target.getName()
        : address.toString();
  }

  private boolean isCounted(@Nullable EndpointConditions conditions) {
    boolean isReady = conditions == null || !Boolean.FALSE.equals(conditions.getReady());
    return switch (query.state()) {
      case READY -> isReady;
      case SERVING -> conditions == null || is(conditions.getServing(), isReady);
      case ANY -> true;
    };
  }

  private static boolean isTerminating(@Nullable EndpointConditions conditions) {
    return conditions != null && is(conditions.getTerminating(), false);
  }

  private static boolean is(@Nullable Boolean condition, boolean unlessSaid) {
    return condition == null ? unlessSaid : condition;
  }

  /** Once for as long as it stays bad, and no more where there are very many. */
  private void log(String slice, @Nullable String reason) {
    if (reason == null) {
      bad.remove(slice);
    } else if (bad.size() < MAX_LOGGED && bad.add(slice)) {
      LOG.warn(
          "an endpoint in the EndpointSlice {} of {} is no node, and is passed over: {}",
          slice,
          query,
          clip(reason));
    }
  }

  /** What others have written, bounded and without control characters, for the log. */
  private static String clip(String text) {
    String safe = text.replaceAll("[^\\x20-\\x7e]", "?");
    return safe.length() <= MAX_CLIPPED ? safe : safe.substring(0, MAX_CLIPPED) + "...";
  }
}
