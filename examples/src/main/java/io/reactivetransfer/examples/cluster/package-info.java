/**
 * Prefill and decode nodes that find each other by etcd, and come and go while requests run: {@link
 * io.reactivetransfer.examples.cluster.Cluster} starts and ends them, each in a process of its own.
 */
@NullMarked
package io.reactivetransfer.examples.cluster;

import org.jspecify.annotations.NullMarked;
