package io.reactivetransfer.weights.remote;

import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.run.TargetMemory;
import io.reactivetransfer.weights.run.UpdateTargets;
import io.reactivetransfer.weights.version.RankTarget;
import io.reactivetransfer.weights.version.WriteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Finds the inference ranks of a table among those of an order, by their names. */
final class OrderTargets {

  /** As many names as a reason can tell. */
  private static final int MOST_NAMES = 8;

  private OrderTargets() {}

  /**
   * Where an order goes, in the order of the table. Ranks that it does not name get nothing.
   *
   * @throws IllegalArgumentException if it names ranks that are not in the table, or none
   * @throws io.reactivetransfer.TransferRejectedException if this engine cannot write there
   */
  static UpdateTargets of(TransferEngine engine, RoutingTable table, WriteOrder order) {
    Map<String, RankTarget> byName = new LinkedHashMap<>();
    for (RankTarget target : order.targets()) {
      if (byName.put(target.rank(), target) != null) {
        throw new IllegalArgumentException(
            "expected each rank once in an order, got rank " + target.rank() + " twice");
      }
    }
    requireKnown(table, byName.keySet());
    List<TargetMemory> targets = new ArrayList<>();
    for (Rank rank : table.targets()) {
      RankTarget target = byName.get(rank.name());
      targets.add(target == null ? TargetMemory.none() : memory(engine, target));
    }
    return new UpdateTargets(RunNumber.of(order.update()), targets);
  }

  private static TargetMemory memory(TransferEngine engine, RankTarget target) {
    List<RemoteRegion> regions = new ArrayList<>();
    for (RegionDescriptor region : target.regions()) {
      regions.add(engine.remote(region));
    }
    return new TargetMemory(regions, target.imm());
  }

  private static void requireKnown(RoutingTable table, Set<String> named) {
    Set<String> strange = new TreeSet<>(named);
    table.targets().forEach(rank -> strange.remove(rank.name()));
    if (!strange.isEmpty() || named.isEmpty()) {
      throw new IllegalArgumentException(
          "expected an order for ranks of the table, "
              + names(table.targets().stream().map(Rank::name).toList())
              + ", got one for "
              + (named.isEmpty() ? "none" : names(strange)));
    }
  }

  private static String names(Collection<String> names) {
    String some = names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
    return names.size() > MOST_NAMES
        ? some + " and " + (names.size() - MOST_NAMES) + " more"
        : some;
  }
}
