package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Rank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Decides who sends what, tensor by tensor, and cuts it into runs. What only one rank has is known
 * before anything is decided; so of ranks that have the same, that one sends which has less to do.
 */
final class Routes {

  private final Loads loads;
  private final int sources;
  private final long shareBytes;
  private final RunCutter cutter = new RunCutter();
  private final Preparations preparations;
  private final List<List<Step>> steps = new ArrayList<>();

  /** Runs of the present tensor, of each rank of the trainer. */
  private final List<Runs.Builder> runs = new ArrayList<>();

  private long order;

  Routes(List<Rank> ranks, int targets, long stepBytes, long shareBytes) {
    this.loads = new Loads(ranks);
    this.sources = ranks.size();
    this.shareBytes = shareBytes;
    for (int i = 0; i < sources; i++) {
      steps.add(new ArrayList<>());
      runs.add(Runs.builder());
    }
    this.preparations =
        new Preparations(loads, steps, (double) targets / sources, stepBytes, shareBytes);
  }

  /** What each rank does, in its order. */
  List<List<Step>> steps() {
    return steps;
  }

  /** Takes down what can be sent by one rank only. */
  void addFixed(TensorPlan plan) {
    if (!plan.isDirect) {
      preparations.addFixed(plan);
      return;
    }
    for (TensorPlan.Origin origin : plan.origins) {
      if (origin.cell().holdings().size() == 1) {
        loads.add(origin.cell().holdings().getFirst().rank(), wantedBytes(plan, origin.box()));
      }
    }
  }

  /** Bytes of a box that all inference ranks want of it, together. */
  static long wantedBytes(TensorPlan plan, Box box) {
    long elements = 0;
    for (Targets.Wish wish : plan.wanted) {
      Box common = wish.box().intersect(box);
      if (common != null) {
        elements += common.elements() * wish.ranks().length;
      }
    }
    return plan.tensor.type().bytes(elements);
  }

  /** Decides for one tensor. */
  void route(TensorPlan plan) {
    if (!plan.isDirect) {
      order = preparations.route(plan, order);
      return;
    }
    int count = plan.origins.size();
    for (int i = 0; i < count; i++) {
      // Ranks begin with different targets, so that not all write to the first one at once.
      int first = (int) ((long) plan.wanted.size() * i / count);
      for (int j = 0; j < plan.wanted.size(); j++) {
        write(plan, plan.origins.get(i), plan.wanted.get((first + j) % plan.wanted.size()));
      }
    }
    for (int rank = 0; rank < sources; rank++) {
      if (!runs.get(rank).isEmpty()) {
        steps.get(rank).add(new Step.Write(order, plan.index, runs.get(rank).build()));
      }
    }
    order++;
  }

  private void write(TensorPlan plan, TensorPlan.Origin origin, Targets.Wish wish) {
    Box common = origin.box().intersect(wish.box());
    if (common == null) {
      return;
    }
    List<Holding> replicas = origin.cell().holdings();
    if (replicas.size() == 1) { // what only one rank has is taken down already
      write(plan, origin, common, replicas.getFirst(), wish, wish.ranks());
      return;
    }
    for (Box part : plan.grid.split(common, shareBytes * Byte.SIZE / plan.tensor.type().bits())) {
      long bytes = plan.tensor.type().bytes(part.elements());
      int[] from = new int[wish.ranks().length];
      for (int i = 0; i < from.length; i++) {
        from[i] = loads.addToLeast(replicas, bytes);
      }
      for (Holding replica : replicas) {
        int[] ranks = sentBy(replica.rank(), from, wish.ranks());
        if (ranks.length > 0) {
          write(plan, origin, part, replica, wish, ranks);
        }
      }
    }
  }

  private static int[] sentBy(int source, int[] from, int[] ranks) {
    int[] found = new int[ranks.length];
    int count = 0;
    for (int i = 0; i < ranks.length; i++) {
      if (from[i] == source) {
        found[count++] = ranks[i];
      }
    }
    return Arrays.copyOf(found, count);
  }

  private void write(
      TensorPlan plan,
      TensorPlan.Origin origin,
      Box part,
      Holding source,
      Targets.Wish wish,
      int[] ranks) {
    int bits = plan.tensor.type().bits();
    Place from = origin.place(source, part);
    Place to = wish.piece().place();
    cutter
        .between(from.region(), ranks, to.region())
        .cut(
            part,
            bits,
            from.offset(),
            from.strides(),
            wish.offset(part, bits),
            to.strides(),
            runs.get(source.rank()));
  }
}
