package io.reactivetransfer.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a backend gets to open the control channel of one engine with.
 *
 * @param identity who the engine is, and how it proves that
 * @param backend name of the backend; engines of different ones do not talk with each other
 * @param doorbell to be rung when a poll would find something, or what was refused may be tried
 *     again
 * @param loop the loop that {@link Backend#newLoop()} made for this engine, or null
 * @param maxMessageBytes the longest message that the engine will send
 * @param connectTimeout how long a session may take to come about
 */
public record ControlContext(
    EngineIdentity identity,
    String backend,
    Doorbell doorbell,
    @Nullable WorkerLoop loop,
    int maxMessageBytes,
    Duration connectTimeout) {}
