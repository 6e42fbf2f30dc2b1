/**
 * The backend over TCP sockets: one-sided writes, done by the target in software.
 *
 * <p>Start with {@link io.reactivetransfer.tcp.TcpBackend}, then {@link
 * io.reactivetransfer.tcp.TcpDomain}, which is one NIC: a listener for the connections of others
 * ({@link io.reactivetransfer.tcp.InboundLink}) and one connection for each remote NIC that it
 * writes to ({@link io.reactivetransfer.tcp.OutboundLink}). What goes over them is in {@link
 * io.reactivetransfer.tcp.Wire}, and for writers of other clients in {@code docs/wire-format.md}.
 *
 * <p>All of one engine runs on one event loop, {@link io.reactivetransfer.tcp.TcpLoop}, the
 * engine's worker included. So nothing here is shared between threads, and nothing here may block.
 */
@NullMarked
package io.reactivetransfer.tcp;

import org.jspecify.annotations.NullMarked;
