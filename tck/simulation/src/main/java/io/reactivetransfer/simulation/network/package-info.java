/**
 * A network on which a seed decides everything: delays, order, refusals, failures, lost links and
 * peers. It knows the SPI only; what runs engines on it, and checks them, is {@link
 * io.reactivetransfer.simulation}.
 *
 * <p>Start with {@link io.reactivetransfer.simulation.network.SimulatedNetwork}; then {@link
 * io.reactivetransfer.simulation.network.Weather}, which says what may go wrong, and {@code
 * LinkEnd}, where it does.
 */
@NullMarked
package io.reactivetransfer.simulation.network;

import org.jspecify.annotations.NullMarked;
