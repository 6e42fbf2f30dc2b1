/**
 * Nodes in etcd: each is a key that lasts as long as a lease, whose value says the rest of it in
 * JSON. {@link io.reactivetransfer.membership.etcd.EtcdMembership} enters nodes and tells of them.
 */
@NullMarked
package io.reactivetransfer.membership.etcd;

import org.jspecify.annotations.NullMarked;
