package io.reactivetransfer.weights.run;

import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RandomModel;
import io.reactivetransfer.weights.plan.RoutingTable;
import java.util.function.Predicate;

/** A random model, and its table in small steps. */
record Case(RandomModel model, RoutingTable table) {

  /** The first one from a seed whose table is as wanted. */
  static Case from(long seed, Predicate<RoutingTable> wanted) {
    for (long i = seed; ; i++) {
      RandomModel model = new RandomModel(i);
      RoutingTable table =
          Planner.create().stepBytes(64).wholeBytes(64).plan(model.sources, model.targets);
      if (table.sources().size() <= 6 && table.targets().size() <= 6 && wanted.test(table)) {
        return new Case(model, table);
      }
    }
  }
}
