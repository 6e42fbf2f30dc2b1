/**
 * Weights from trainers to inference ranks on simulated engines: controllers, trainers and ranks
 * that update, recover, read, fail, stop, die and come again, and a model of what each byte must be
 * in each version.
 *
 * <p>Start with {@link io.reactivetransfer.simulation.weights.WeightsSimulation}, which runs one
 * seed; then {@code WeightsWorld}, what it consists of; {@code WeightsActKind}, what may happen in
 * it; {@code Laboratory}, what the application knows and does; {@code Attempt}, one update; {@code
 * WeightsFinale}, what must be true in the end.
 */
@NullMarked
package io.reactivetransfer.simulation.weights;

import org.jspecify.annotations.NullMarked;
