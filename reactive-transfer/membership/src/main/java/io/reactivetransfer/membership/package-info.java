/**
 * Which nodes there are, and where their engines are reached. A {@link
 * io.reactivetransfer.membership.Membership} says what was set up to exist; whether a node is alive
 * is what its engine says of its peer.
 */
@NullMarked
package io.reactivetransfer.membership;

import org.jspecify.annotations.NullMarked;
