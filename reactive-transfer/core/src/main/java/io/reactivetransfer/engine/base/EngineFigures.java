package io.reactivetransfer.engine.base;

import io.reactivetransfer.EngineStats;
import io.reactivetransfer.Nic;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.TransferKind;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/** What one engine has counted. See {@link EngineStats} for each figure. */
public record EngineFigures(
    long transfersInFlight,
    long writesInFlight,
    long writesPosted,
    long bytesPosted,
    long arrivals,
    long bytesArrived,
    long openRegions,
    long registeredBytes,
    long pendingClaims,
    long unclaimedImms,
    long openLeases,
    long droppedImms,
    long defects,
    Map<TransferKind, Long> begun,
    Map<TransferKind, Long> bytesBegun,
    Map<Nic, TrafficStats> nics)
    implements EngineStats {

  /** As it is now. From any thread. */
  public static EngineFigures of(Counters counters, Nics nics, long openLeases, long defects) {
    Map<Nic, TrafficStats> each = nics.stats();
    return new EngineFigures(
        counters.get(Counters.TRANSFERS_IN_FLIGHT),
        counters.get(Counters.WRITES_IN_FLIGHT),
        sum(each, TrafficStats::writesPosted),
        sum(each, TrafficStats::bytesPosted),
        sum(each, TrafficStats::arrivals),
        sum(each, TrafficStats::bytesArrived),
        counters.get(Counters.OPEN_REGIONS),
        counters.get(Counters.REGISTERED_BYTES),
        counters.get(Counters.PENDING_CLAIMS),
        counters.get(Counters.UNCLAIMED_IMMS),
        openLeases,
        counters.get(Counters.DROPPED_IMMS),
        defects,
        byKind(counters::begun),
        byKind(counters::bytesBegun),
        each);
  }

  private static Map<TransferKind, Long> byKind(ToLongFunction<TransferKind> figure) {
    Map<TransferKind, Long> each = new EnumMap<>(TransferKind.class);
    for (TransferKind kind : TransferKind.values()) {
      each.put(kind, figure.applyAsLong(kind));
    }
    return each;
  }

  @Override
  public long transfersBegun(TransferKind kind) {
    return begun.getOrDefault(kind, 0L);
  }

  @Override
  public long bytesBegun(TransferKind kind) {
    return bytesBegun.getOrDefault(kind, 0L);
  }

  private static long sum(Map<Nic, TrafficStats> nics, ToLongFunction<TrafficStats> figure) {
    return nics.values().stream().mapToLong(figure).sum();
  }
}
