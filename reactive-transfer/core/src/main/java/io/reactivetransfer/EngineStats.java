package io.reactivetransfer;

/**
 * What an engine holds and has done, read without stopping it: each figure is exact for some recent
 * moment, all together for none.
 *
 * @param transfersInFlight transfers that the engine took over and has not finished
 * @param writesInFlight pieces posted to NICs and not completed
 * @param writesPosted pieces posted since the engine opened
 * @param bytesPosted bytes of those pieces
 * @param arrivals pieces with an immediate that arrived here since the engine opened
 * @param openRegions regions registered and not closed
 * @param pendingClaims claims on counters that wait
 * @param unclaimedImms immediates that arrived and that nobody has claimed
 * @param openLeases leases of immediates that were not closed
 * @param droppedImms pieces with an immediate that found the table of unclaimed ones full
 */
public record EngineStats(
    long transfersInFlight,
    long writesInFlight,
    long writesPosted,
    long bytesPosted,
    long arrivals,
    long openRegions,
    long pendingClaims,
    long unclaimedImms,
    long openLeases,
    long droppedImms) {}
