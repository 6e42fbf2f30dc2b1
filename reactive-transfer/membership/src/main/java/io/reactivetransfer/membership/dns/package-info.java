/**
 * Nodes that DNS names: the addresses of a host, such as a headless service of Kubernetes, or the
 * hosts and ports of SRV records. {@link io.reactivetransfer.membership.dns.DnsMembership} asks
 * again and again, and tells what has changed.
 */
@NullMarked
package io.reactivetransfer.membership.dns;

import org.jspecify.annotations.NullMarked;
