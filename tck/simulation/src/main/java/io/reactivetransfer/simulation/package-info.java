/**
 * Deterministic simulation: several engines on one thread, in virtual time, where one seed decides
 * all that happens, and a referee that knows what must come of it.
 *
 * <p>Start with {@link io.reactivetransfer.simulation.Simulation}, which runs one seed; then {@code
 * World}, what it consists of; {@code ActKind}, what may happen in it; {@code Finale}, what must be
 * true in the end.
 */
@NullMarked
package io.reactivetransfer.simulation;

import org.jspecify.annotations.NullMarked;
