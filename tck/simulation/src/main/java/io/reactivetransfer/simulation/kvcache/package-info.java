/**
 * The hand-over of KV caches on simulated engines: decode and prefill nodes that order, compute,
 * cancel, fail, stop, die and come again, and a model of who has which page when.
 *
 * <p>Start with {@link io.reactivetransfer.simulation.kvcache.KvSimulation}, which runs one seed;
 * then {@code KvWorld}, what it consists of; {@code KvActKind}, what may happen in it; {@code
 * Trip}, one order; {@code Serving}, how it is answered; {@code KvFinale}, what must be true in the
 * end.
 */
@NullMarked
package io.reactivetransfer.simulation.kvcache;

import org.jspecify.annotations.NullMarked;
