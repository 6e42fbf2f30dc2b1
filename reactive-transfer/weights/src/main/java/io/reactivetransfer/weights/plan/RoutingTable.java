package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * Who writes what where, as data: for each rank of the trainer what it does, in its order. Nothing
 * in it leads out of the memory that the ranks have described, whoever it comes from: that is
 * checked whenever one is made. Immutable.
 */
public final class RoutingTable {

  private final List<Rank> sources;
  private final List<Rank> targets;
  private final List<String> groups;
  private final List<TableTensor> tensors;
  private final List<String> unused;
  private final List<List<Step>> steps;

  /** The only rank whose steps it has; below 0 if it is a whole table. */
  private final int part;

  /**
   * A table, however it was made.
   *
   * @param sources the ranks of the trainer
   * @param targets the ranks of the inference engine
   * @param groups the mesh groups, in their order
   * @param tensors the tensors of the inference engine
   * @param unused the tensors of the trainer of which nothing is needed
   * @param steps what each rank of the trainer does, in its order
   * @throws IllegalArgumentException if it leads out of the memory of a rank, or names something
   *     that there is not; the text says what
   */
  public RoutingTable(
      List<Rank> sources,
      List<Rank> targets,
      List<String> groups,
      List<TableTensor> tensors,
      List<String> unused,
      List<? extends List<Step>> steps) {
    this(sources, targets, groups, tensors, unused, steps, -1);
  }

  private RoutingTable(
      List<Rank> sources,
      List<Rank> targets,
      List<String> groups,
      List<TableTensor> tensors,
      List<String> unused,
      List<? extends List<Step>> steps,
      int part) {
    this.part = part;
    this.sources = List.copyOf(sources);
    this.targets = List.copyOf(targets);
    this.groups = List.copyOf(groups);
    this.tensors = List.copyOf(tensors);
    this.unused = List.copyOf(unused);
    List<List<Step>> copies = new ArrayList<>(steps.size());
    steps.forEach(ofRank -> copies.add(List.copyOf(ofRank)));
    this.steps = List.copyOf(copies);
    requireRanks(this.sources, this.targets);
    new TableChecks(this).require();
  }

  /** Refuses no ranks, too many, and two of one name. */
  static void requireRanks(List<Rank> sources, List<Rank> targets) {
    requireRanks("trainer", sources);
    requireRanks("inference engine", targets);
  }

  private static void requireRanks(String whose, List<Rank> ranks) {
    if (ranks.isEmpty() || ranks.size() > Runs.MAX_RANKS) {
      throw new IllegalArgumentException(
          "expected 1 to " + Runs.MAX_RANKS + " ranks of the " + whose + ", got " + ranks.size());
    }
    if (ranks.stream().map(Rank::name).distinct().count() < ranks.size()) {
      throw new IllegalArgumentException(
          "expected ranks of different names of the "
              + whose
              + ", got "
              + ranks.stream().map(Rank::name).toList());
    }
  }

  /** The ranks of the trainer. */
  public List<Rank> sources() {
    return sources;
  }

  /** The ranks of the inference engine. */
  public List<Rank> targets() {
    return targets;
  }

  /** The mesh groups; the steps of one come before those of the next. */
  public List<String> groups() {
    return groups;
  }

  /** The tensors of the inference engine, those of scales among them. */
  public List<TableTensor> tensors() {
    return tensors;
  }

  /** Tensors of the trainer of which nothing is needed. */
  public List<String> unused() {
    return unused;
  }

  /**
   * What a rank of the trainer does, in its order.
   *
   * @param source index of the rank
   * @throws IllegalArgumentException if there is no such rank
   */
  public List<Step> steps(int source) {
    requireSource(source);
    return steps.get(source);
  }

  private void requireSource(int source) {
    if (source < 0 || source >= sources.size()) {
      throw new IllegalArgumentException(
          "expected a rank of the trainer of 0 to " + (sources.size() - 1) + ", got " + source);
    }
  }

  /** Which rank's part of a table it is; empty if it has the steps of all ranks. */
  public OptionalInt part() {
    return part < 0 ? OptionalInt.empty() : OptionalInt.of(part);
  }

  /**
   * Refuses what cannot tell what a rank does.
   *
   * @param source index of the rank
   * @throws IllegalArgumentException if there is no such rank, or if it is the part of another one
   */
  public void requireStepsOf(int source) {
    requireSource(source);
    if (part >= 0 && part != source) {
      throw new IllegalArgumentException(
          "expected the whole table or the part of trainer "
              + sources.get(source).name()
              + ", got the part of trainer "
              + sources.get(part).name());
    }
  }

  /**
   * The same table with the steps of one rank only: all that this rank needs. It says whose it is
   * ({@link #part()}), so that no other rank takes it for its own.
   *
   * @param source index of the rank
   * @throws IllegalArgumentException if there is no such rank, or if this is the part of another
   */
  public RoutingTable only(int source) {
    requireStepsOf(source);
    List<List<Step>> kept = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      kept.add(i == source ? steps.get(i) : List.of());
    }
    return new RoutingTable(sources, targets, groups, tensors, unused, kept, source);
  }

  /** Bytes of what a step makes. */
  public long outputBytes(Step.Prepare step) {
    return tensors.get(step.tensor()).tensor().type().bytes(step.box().elements());
  }

  /** Bytes of the scales that a step finds; 0 if there are none. */
  public long scaleBytes(Step.Prepare step) {
    Shape unit = tensors.get(step.tensor()).unit();
    if (unit == null) {
      return 0;
    }
    long units = 1;
    for (int i = 0; i < unit.dimensions(); i++) {
      units *= Math.ceilDiv(step.box().size(i), unit.size(i));
    }
    DataType type = tensors.get(tensors.get(step.tensor()).scales()).tensor().type();
    return type.bytes(units);
  }

  /**
   * Bytes of temporaries that a rank needs for a step: what is gathered, what is made, and what
   * must be loaded before NICs can read it.
   *
   * @param source index of the rank
   */
  public long temporaryBytes(int source, Step step) {
    return switch (step) {
      case Step.Write _ -> 0;
      case Step.Gather gather -> loadedBytes(source, gather);
      case Step.Prepare prepare ->
          prepare.gatherBytes() + outputBytes(prepare) + scaleBytes(prepare);
    };
  }

  private long loadedBytes(int source, Step.Gather step) {
    long bytes = 0;
    for (int run = 0; run < step.runs().size(); run++) {
      int region = step.runs().sourceRegion(run);
      if (!sources.get(source).regions().get(region).isRegistered()) {
        bytes += step.runs().bytes(run);
      }
    }
    return bytes;
  }

  /**
   * How many writes each inference rank gets, by which it knows that all has arrived. Only of the
   * whole table: a part counts the writes of its own rank.
   */
  public long[] arrivals() {
    long[] arrivals = new long[targets.size()];
    for (List<Step> ofRank : steps) {
      for (Step step : ofRank) {
        if (!(step instanceof Step.Gather)) {
          for (int run = 0; run < step.runs().size(); run++) {
            for (int i = 0; i < step.runs().targets(run); i++) {
              arrivals[step.runs().target(run, i)]++;
            }
          }
        }
      }
    }
    return arrivals;
  }

  /** What it costs. */
  public PlanCost cost() {
    return PlanCost.of(this);
  }

  /** All of it as text, a line for each rank, tensor, step, input and run. */
  public String print() {
    return TableText.of(this);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RoutingTable that
        && sources.equals(that.sources)
        && targets.equals(that.targets)
        && groups.equals(that.groups)
        && tensors.equals(that.tensors)
        && unused.equals(that.unused)
        && part == that.part
        && steps.equals(that.steps);
  }

  @Override
  public int hashCode() {
    return Objects.hash(sources, targets, groups, tensors, unused, steps, part);
  }

  /** How many ranks, tensors and steps. */
  @Override
  public String toString() {
    return "from "
        + sources.size()
        + " to "
        + targets.size()
        + " ranks, "
        + tensors.size()
        + " tensors, "
        + steps.stream().mapToInt(List::size).sum()
        + " steps";
  }
}
