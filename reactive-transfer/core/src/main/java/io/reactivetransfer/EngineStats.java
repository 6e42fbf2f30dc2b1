package io.reactivetransfer;

import java.util.Map;

/**
 * What an engine holds and has done, read without stopping it: each figure is exact for some recent
 * moment, all together for none. Given by {@link TransferEngine#stats()}; more may join.
 */
public interface EngineStats {

  /** Transfers that the engine took over and has not finished. */
  long transfersInFlight();

  /** Transfers of a kind that were begun since the engine opened, whatever became of them. */
  long transfersBegun(TransferKind kind);

  /** Bytes of those transfers, over all targets. */
  long bytesBegun(TransferKind kind);

  /** Pieces posted to NICs and not reported. */
  long writesInFlight();

  /** Pieces posted since the engine opened. */
  long writesPosted();

  /** Bytes of those pieces. */
  long bytesPosted();

  /** Pieces with an immediate that arrived here since the engine opened. */
  long arrivals();

  /** Bytes of those pieces, as far as NICs are told: see {@link TrafficStats#bytesArrived()}. */
  long bytesArrived();

  /** Regions registered and not closed. */
  long openRegions();

  /** Bytes of those regions. */
  long registeredBytes();

  /** Claims on counters that wait. */
  long pendingClaims();

  /** Immediates that arrived and that nobody has claimed. */
  long unclaimedImms();

  /** Leases of immediates that were not closed. */
  long openLeases();

  /**
   * Pieces with an immediate that found the table of unclaimed ones full, and those of lost origins
   * that made room for others.
   */
  long droppedImms();

  /** What came from a NIC, a peer or a recorder and must not come; each was survived, and said. */
  long defects();

  /** The NICs that the engine opened, those that have failed since included, in their order. */
  Map<Nic, TrafficStats> nics();
}
