package io.reactivetransfer.loopback;

import java.util.OptionalLong;

/**
 * How the NICs of one backend behave.
 *
 * @param network what joins them
 * @param queueDepth writes of one NIC that may be in flight, and places in its inbox
 * @param maxWriteBytes the longest write
 * @param maxCopyBytesPerPoll after so many copied bytes a poll returns, even within a write
 * @param reorderSeed if there, the inbox is served out of order, as this seed decides
 */
record LoopbackSettings(
    LoopbackNetwork network,
    int queueDepth,
    long maxWriteBytes,
    long maxCopyBytesPerPoll,
    OptionalLong reorderSeed) {}
