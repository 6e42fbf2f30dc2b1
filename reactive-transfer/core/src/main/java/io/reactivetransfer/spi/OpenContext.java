package io.reactivetransfer.spi;

import io.reactivetransfer.EngineId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a backend gets to open a NIC with.
 *
 * @param engine id of the engine, by which others know it
 * @param nicIndex index of this NIC among those of the engine
 * @param doorbell to be rung when a poll would find something
 * @param loop the loop that {@link Backend#newLoop()} made for this engine, or null
 * @param nicDepth how many writes the engine will have in flight on this NIC at most
 * @param connectTimeout how long a connection may take to come about
 */
public record OpenContext(
    EngineId engine,
    int nicIndex,
    Doorbell doorbell,
    @Nullable WorkerLoop loop,
    int nicDepth,
    Duration connectTimeout) {}
