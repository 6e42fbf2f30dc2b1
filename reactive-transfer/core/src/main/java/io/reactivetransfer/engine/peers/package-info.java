/**
 * Internal: who the other engines are, and what is said to them. Knows nothing of writes.
 *
 * <p>{@code Peers} finds a {@code PeerLink} for each; {@code Control} is the one channel to all of
 * them. {@code Mailroom} says what is due, peer by peer, as each one's {@code Mail} has it, and
 * leads what comes to the {@code FrameHandler} that has asked for it. {@code Messages} and {@code
 * Barriers} are what an application says; {@code Liveness} finds who says nothing. What becomes of
 * a peer is told to {@code PeerEvents}; what other rooms keep of one, and have to tell it, is a
 * {@code PeerShare}.
 */
@NullMarked
package io.reactivetransfer.engine.peers;

import org.jspecify.annotations.NullMarked;
