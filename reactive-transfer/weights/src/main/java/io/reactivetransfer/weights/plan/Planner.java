package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.TargetRank;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes the routing table from what the ranks of both sides say of themselves. A pure function: the
 * same descriptions in the same order give the same table. Immutable.
 */
public final class Planner {

  private static final long DEFAULT_STEP_BYTES = 64L << 20;
  private static final long LEAST_STEP_BYTES = 1L << 20;
  private static final long DEFAULT_SHARE_BYTES = 1L << 20;

  private static final long DEFAULT_WHOLE_BYTES = 32L << 10;
  private static final long MOST_BYTES = 1L << 56;

  /** A step is at most this part of what a rank prepares, unless that is very little. */
  private static final int STEPS_OF_A_RANK = 32;

  /** What is shared out among replicas is at most this part of what a rank sends. */
  private static final int SHARES_OF_A_RANK = 100;

  private final long stepBytes;
  private final long shareBytes;
  private final long wholeBytes;

  private Planner(long stepBytes, long shareBytes, long wholeBytes) {
    if (stepBytes < 1 || shareBytes < 1 || Math.max(stepBytes, shareBytes) > MOST_BYTES) {
      throw new IllegalArgumentException(
          "expected steps and shares of 1 to 2^56 bytes, got " + stepBytes + " and " + shareBytes);
    }
    if (wholeBytes < 0) {
      throw new IllegalArgumentException(
          "expected tensors of 0 bytes or more that are brought together, got " + wholeBytes);
    }
    this.stepBytes = stepBytes;
    this.shareBytes = shareBytes;
    this.wholeBytes = wholeBytes;
  }

  /**
   * One with temporaries of at most 64 MiB for a step, shares of 1 MiB or more, and tensors of 32
   * KiB or less that are brought together.
   */
  public static Planner create() {
    return new Planner(DEFAULT_STEP_BYTES, DEFAULT_SHARE_BYTES, DEFAULT_WHOLE_BYTES);
  }

  /**
   * How large the temporaries of one step may be: what is prepared at once. They are less where
   * training ranks prepare less than 32 times as much on average, but not for that below 1 MiB:
   * what is prepared last is written when nothing is left to prepare. A unit that shares a scale is
   * prepared at once even if it is larger.
   */
  public Planner stepBytes(long bytes) {
    return new Planner(bytes, shareBytes, wholeBytes);
  }

  /**
   * How many bytes are not shared out further among ranks that have the same; more is, where it
   * balances what they send.
   */
  public Planner shareBytes(long bytes) {
    return new Planner(stepBytes, bytes, wholeBytes);
  }

  /**
   * How large a tensor may be that is brought together at one rank of the trainer before it is
   * sent, if it lies in several parts: a few more writes among trainers, instead of small ones from
   * each of them to each inference rank. 0 brings nothing together that needs not be.
   */
  public Planner wholeBytes(long bytes) {
    return new Planner(stepBytes, shareBytes, bytes);
  }

  /**
   * The routing table.
   *
   * @param sources the ranks of the trainer
   * @param targets the ranks of the inference engine
   * @throws PlanRefusedException if what they say does not fit; it names the tensor
   * @throws IllegalArgumentException if there is no rank, or two of one name
   */
  public RoutingTable plan(List<SourceRank> sources, List<TargetRank> targets) {
    List<Rank> from = sources.stream().map(SourceRank::rank).toList();
    List<Rank> to = targets.stream().map(TargetRank::rank).toList();
    RoutingTable.requireRanks(from, to);
    Sources held = new Sources(sources);
    List<Targets.Wanted> wanted = new Targets(targets).all();
    List<TensorPlan> plans = plans(wanted, held, wholeBytes);
    long all = wanted.stream().mapToLong(Targets.Wanted::bytes).sum();
    long share = Math.max(shareBytes, all / from.size() / SHARES_OF_A_RANK);
    Routes routes = new Routes(from, to.size(), stepBytes(plans, from.size()), share);
    plans.forEach(routes::addFixed);
    plans.forEach(routes::route);
    return new RoutingTable(
        from, to, held.groups(), tensors(wanted, plans), unused(held, plans), routes.steps());
  }

  /** So that what is prepared last is a small part of all, and no steps are small without need. */
  private long stepBytes(List<TensorPlan> plans, int ranks) {
    double all = 0; // as a double: what a description says may be more than a long has room for
    for (TensorPlan plan : plans) {
      if (!plan.isDirect) {
        all += (double) plan.tensor.shape().elements() * plan.preparedBits() / Byte.SIZE;
      }
    }
    long part = (long) (all / ranks / STEPS_OF_A_RANK);
    return Math.min(stepBytes, Math.max(LEAST_STEP_BYTES, part));
  }

  /** By group, and in each as the targets name them. */
  private static List<TensorPlan> plans(
      List<Targets.Wanted> wanted, Sources held, long wholeBytes) {
    Map<String, TensorPlan> named = new HashMap<>();
    List<TensorPlan> plans = new ArrayList<>();
    for (int i = 0; i < wanted.size(); i++) {
      if (wanted.get(i).content() instanceof Content.Values values) {
        TensorPlan plan = new TensorPlan(i, wanted.get(i), values, held, wholeBytes);
        named.put(plan.tensor.name(), plan);
        plans.add(plan);
      }
    }
    Set<String> quantized = new HashSet<>();
    for (Targets.Wanted one : wanted) {
      if (one.content() instanceof Content.Values values && values.quantization() != null) {
        quantized.add(one.tensor().name());
      }
    }
    for (int i = 0; i < wanted.size(); i++) {
      if (wanted.get(i).content() instanceof Content.Scales scales) {
        ScaleChecks.attach(i, wanted.get(i), scales.tensor(), named, quantized);
      }
    }
    ScaleChecks.requireAttached(plans, quantized);
    plans.sort(Comparator.comparingInt(plan -> plan.group));
    return plans;
  }

  private static List<TableTensor> tensors(List<Targets.Wanted> wanted, List<TensorPlan> plans) {
    TableTensor[] tensors = new TableTensor[wanted.size()];
    for (TensorPlan plan : plans) {
      TensorPlan.Scales scales = plan.scales;
      Content content = wanted.get(plan.index).content();
      if (scales == null
          || !(content instanceof Content.Values values)
          || values.quantization() == null) {
        tensors[plan.index] = new TableTensor(plan.tensor, plan.group, null, -1);
      } else {
        tensors[plan.index] =
            new TableTensor(
                plan.tensor,
                plan.group,
                values.quantization().unit(plan.tensor.shape()),
                scales.index());
        tensors[scales.index()] = new TableTensor(scales.tensor(), plan.group, null, -1);
      }
    }
    return List.of(tensors);
  }

  private static List<String> unused(Sources held, List<TensorPlan> plans) {
    boolean[] used = new boolean[held.size()];
    plans.forEach(plan -> plan.origins.forEach(origin -> used[origin.link().source()] = true));
    return held.without(used);
  }
}
