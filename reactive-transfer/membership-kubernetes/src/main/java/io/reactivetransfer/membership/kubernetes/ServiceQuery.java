package io.reactivetransfer.membership.kubernetes;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is watched, and what of it is a node.
 *
 * @param namespace of the service
 * @param service whose EndpointSlices
 * @param role of all nodes
 * @param port of their engines
 * @param type the only type of addresses to take; null for the first that a pod has
 * @param state of the endpoints that are nodes
 * @param grace how long a node stays that is in no slice any more
 */
record ServiceQuery(
    String namespace,
    String service,
    String role,
    SlicePort port,
    @Nullable AddressType type,
    EndpointState state,
    Duration grace) {

  /** For messages. */
  @Override
  public String toString() {
    return "the service " + service + " in the namespace " + namespace;
  }
}
