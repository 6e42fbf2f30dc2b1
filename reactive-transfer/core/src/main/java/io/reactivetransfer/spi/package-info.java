/**
 * What a backend implements: a small driver for one NIC.
 *
 * <p>Start with {@link io.reactivetransfer.spi.Backend}, then {@link
 * io.reactivetransfer.spi.Domain}. Everything in a {@code Domain} is called by one thread, nothing
 * in it may block, and nothing in it calls the engine back except through the {@link
 * io.reactivetransfer.spi.CompletionSink} that {@code poll} is given. Demand, striping, counting,
 * cancelling and quiescence are the engine's work.
 *
 * <p>This package knows the values of the root package and the JDK; neither Reactor nor the engine.
 */
@NullMarked
package io.reactivetransfer.spi;

import org.jspecify.annotations.NullMarked;
