package io.reactivetransfer.simulation.network;

import io.reactivetransfer.EngineId;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A write that a NIC has reported as failed.
 *
 * @param source the registered memory that it was to read
 * @param offset of its first byte there
 * @param length in bytes, with the gaps between its rows
 * @param wireImm its immediate as it travels, or null
 */
public record FailedWrite(
    EngineId origin,
    EngineId target,
    MemorySegment source,
    long offset,
    long length,
    @Nullable Integer wireImm) {}
