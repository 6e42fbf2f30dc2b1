/**
 * What a user of reactive-transfer holds: contracts and values.
 *
 * <p>Start with {@link io.reactivetransfer.TransferEngine}; an engine is built by {@code
 * io.reactivetransfer.engine.TransferEngineBuilder}. Memory is registered as a {@link
 * io.reactivetransfer.MemoryRegion}, named to others by its {@link
 * io.reactivetransfer.RegionDescriptor}, and written to as a {@link
 * io.reactivetransfer.RemoteRegion}. What is written is a {@link io.reactivetransfer.Transfer};
 * what has arrived is counted by an {@link io.reactivetransfer.ImmCounter}.
 *
 * <p>This package knows neither the engine nor the backends.
 */
@NullMarked
package io.reactivetransfer;

import org.jspecify.annotations.NullMarked;
