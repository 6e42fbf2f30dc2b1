/**
 * A network on which a seed decides everything: delays, order, refusals, failures, lost links and
 * peers. It knows the SPI only; the program that runs engines on it, and checks them, is the
 * example {@code simulate}.
 *
 * <p>Start with {@link io.reactivetransfer.loopback.simulated.SimulatedNetwork}; then {@link
 * io.reactivetransfer.loopback.simulated.Weather}, which says what may go wrong, and {@code
 * LinkEnd}, where it does.
 */
@NullMarked
package io.reactivetransfer.loopback.simulated;

import org.jspecify.annotations.NullMarked;
