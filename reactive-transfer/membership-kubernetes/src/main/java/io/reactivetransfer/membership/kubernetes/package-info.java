/**
 * Nodes that Kubernetes lists: the endpoints of a service. {@link
 * io.reactivetransfer.membership.kubernetes.KubernetesMembership} watches its EndpointSlices.
 */
@NullMarked
package io.reactivetransfer.membership.kubernetes;

import org.jspecify.annotations.NullMarked;
