/**
 * The control channel of engines over real networks: one TCP connection for each pair of engines,
 * on which both have proved who they are and that they know the cluster's secret.
 *
 * <p>Start with {@link io.reactivetransfer.control.NettyControl}, which a backend embeds, and
 * {@link io.reactivetransfer.control.NettyControlChannel}, which is the engine's side: it puts
 * messages into the {@code Outbox} of a {@code Session} and takes {@code Events} out, on the
 * engine's thread. All else runs on the event loop, {@link
 * io.reactivetransfer.control.ControlLoop}: {@code Sessions} decides which connections there are,
 * by a {@code PeerState} for each other engine; a {@code Dialled} or {@code Accepted} connection
 * carries out one end of the handshake ({@code DialHandshake}, {@code AcceptHandshake}, whose
 * frames are in {@code Handshake}), and then the frames of its session. For writers of other
 * clients: {@code docs/wire-format.md}.
 */
@NullMarked
package io.reactivetransfer.control;

import org.jspecify.annotations.NullMarked;
