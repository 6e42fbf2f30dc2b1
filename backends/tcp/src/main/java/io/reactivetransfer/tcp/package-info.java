/**
 * The backend over TCP sockets: one-sided writes, done by the target in software.
 *
 * <p>Start with {@link io.reactivetransfer.tcp.TcpBackend}, then {@code TcpDomain}, which is one
 * NIC: a listener for the connections of others ({@code InboundLink}) and one connection for each
 * remote NIC that it writes to ({@code OutboundLink}). What goes over them is in {@code Handshake}
 * and {@code Wire}, and for writers of other clients in {@code docs/wire-format.md}.
 *
 * <p>All of one engine runs on one event loop, {@code TcpLoop}, the engine's worker included. So
 * nothing here is shared between threads, and nothing here may block.
 */
@NullMarked
package io.reactivetransfer.tcp;

import org.jspecify.annotations.NullMarked;
