package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.LocalPart;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.Quantization;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.Recipe;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Sharding;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.plan.FillTable;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Small weights of a random kind, who has which part of them, and the table. */
final class Model {

  private static final int MAX_SIZE = 8;
  private static final int STEP_BYTES = 64;
  private static final String AXIS = "x";

  private final SplittableRandom random;
  private final Map<String, Held> held = new LinkedHashMap<>();
  private final List<Wanted> wanted = new ArrayList<>();
  private final List<SourceRank> sources = new ArrayList<>();
  private final List<TargetRank> targets = new ArrayList<>();
  private final RoutingTable table;
  private final Groups groups;

  private Model(int trainers, int ranks, boolean hasReplicas, SplittableRandom random) {
    this.random = random;
    int tensors = random.nextInt(1, 4);
    for (int i = 0; i < tensors; i++) {
      addTensor("w" + i);
    }
    addSources(trainers);
    if (hasReplicas) {
      addReplicas(ranks);
    } else {
      addTargets(ranks);
    }
    table =
        Planner.create()
            .stepBytes(STEP_BYTES)
            .wholeBytes(random.nextBoolean() ? 0 : STEP_BYTES)
            .plan(sources, targets);
    groups = new Groups(table);
  }

  /**
   * One in which each rank gets something.
   *
   * @param hasReplicas whether there are two inference ranks or more, and all have the same
   */
  static Model draw(boolean hasReplicas, SplittableRandom random) {
    int trainers = random.nextInt(1, 4);
    int ranks = random.nextInt(hasReplicas ? 2 : 1, 4);
    while (true) {
      Model model = new Model(trainers, ranks, hasReplicas, random);
      if (Arrays.stream(model.table.arrivals()).allMatch(arrivals -> arrivals > 0)) {
        return model;
      }
    }
  }

  RoutingTable table() {
    return table;
  }

  Groups groups() {
    return groups;
  }

  List<SourceRank> sources() {
    return sources;
  }

  List<TargetRank> targets() {
    return targets;
  }

  Held held(String tensor) {
    Held found = held.get(tensor);
    if (found == null) {
      throw new IllegalArgumentException("no tensor " + tensor);
    }
    return found;
  }

  Wanted wanted(String tensor) {
    return wanted.stream()
        .filter(one -> one.tensor().name().equals(tensor))
        .findFirst()
        .orElseThrow();
  }

  /** By which an inference rank fills all others. */
  RoutingTable fillTable(int peer) {
    List<TargetRank> others = new ArrayList<>(targets);
    others.remove(peer);
    return FillTable.of(targets.get(peer), others);
  }

  /** Whether trainers write to each other. */
  boolean gathers() {
    for (int rank = 0; rank < sources.size(); rank++) {
      if (table.steps(rank).stream().anyMatch(Step.Gather.class::isInstance)) {
        return true;
      }
    }
    return false;
  }

  /** The least watermark of a trainer. */
  long largestStep(int rank) {
    return table.steps(rank).stream()
        .mapToLong(step -> table.temporaryBytes(rank, step))
        .max()
        .orElse(0);
  }

  // What there is

  private void addTensor(String name) {
    long rows = random.nextInt(1, MAX_SIZE + 1);
    long columns = random.nextInt(1, MAX_SIZE + 1);
    DataType raw = random.nextBoolean() ? DataType.FP32 : DataType.INT8;
    switch (random.nextInt(6)) {
      case 0 -> {
        Held one = hold(name, Held.Kind.RAW, raw, rows, columns);
        want(name, raw, Content.of(name), Shape.of(rows, columns), one::bits);
      }
      case 1 -> addFused(name, raw, rows, columns);
      case 2 -> {
        Held one = hold(name, Held.Kind.RAW, raw, rows, columns);
        want(
            name,
            raw,
            Content.of(Recipe.transposed(name)),
            Shape.of(columns, rows),
            (version, down, across) -> one.bits(version, across, down));
      }
      case 3 -> addCast(name, rows, columns);
      default -> addQuantized(name, rows, columns);
    }
  }

  private void addFused(String name, DataType type, long rows, long columns) {
    long more = random.nextInt(1, MAX_SIZE + 1);
    Held first = hold(name + ".q", Held.Kind.RAW, type, rows, columns);
    Held second = hold(name + ".k", Held.Kind.RAW, type, more, columns);
    want(
        name,
        type,
        Content.of(Recipe.fused(0, name + ".q", name + ".k")),
        Shape.of(rows + more, columns),
        (version, row, column) ->
            row < rows
                ? first.bits(version, row, column)
                : second.bits(version, row - rows, column));
  }

  private void addCast(String name, long rows, long columns) {
    Held one = hold(name, Held.Kind.INTEGERS, DataType.BF16, rows, columns);
    DataType type = random.nextBoolean() ? DataType.FP32 : DataType.FP8_E4M3;
    want(
        name,
        type,
        Content.of(name),
        Shape.of(rows, columns),
        (version, row, column) -> Held.bits(one.integer(version, row, column), type));
  }

  private void addQuantized(String name, long rows, long columns) {
    long[] unit = {random.nextInt(1, 5), random.nextInt(1, 5)};
    Shape shape = Shape.of(rows, columns);
    Held one = new Held(new Tensor(name, DataType.BF16, shape), Held.Kind.SCALED, Shape.of(unit));
    held.put(name, one);
    want(
        name,
        DataType.FP8_E4M3,
        Content.quantized(Recipe.of(name), Quantization.perBlock(unit)),
        Shape.of(rows, columns),
        (version, row, column) ->
            Held.bits(one.quantized(version, row, column), DataType.FP8_E4M3));
    want(
        name + ".scale",
        DataType.FP32,
        Content.scalesOf(name),
        one.units(),
        (version, row, column) -> Held.bits(one.scale(version, row, column), DataType.FP32));
  }

  private Held hold(String name, Held.Kind kind, DataType type, long rows, long columns) {
    Held one = new Held(new Tensor(name, type, Shape.of(rows, columns)), kind, Shape.of(1, 1));
    held.put(name, one);
    return one;
  }

  private void want(
      String name, DataType type, Content content, Shape shape, Wanted.Elements elements) {
    wanted.add(new Wanted(new Tensor(name, type, shape), content, elements));
  }

  // Who has what

  /** What one rank holds, behind each other in one region or two. */
  private final class Memory {
    private final long[] bytes = new long[random.nextInt(1, 3)];

    List<Piece> place(LocalPart part) {
      int region = random.nextInt(bytes.length);
      long offset = (bytes[region] + 3) / 4 * 4 + 4L * random.nextInt(2);
      bytes[region] = offset + part.bytes();
      return part.pieces(region, offset);
    }

    Rank rank(String name, boolean mayLoad) {
      RegionSpec[] regions = new RegionSpec[bytes.length];
      for (int i = 0; i < regions.length; i++) {
        boolean isLoaded = mayLoad && random.nextInt(6) == 0;
        regions[i] = new RegionSpec(bytes[i] + 4, !isLoaded);
      }
      return Rank.of(name, regions);
    }
  }

  private Sharding sharding(Mesh mesh, boolean mayBeFlat) {
    Sharding sharding = Sharding.replicated(mesh);
    return switch (random.nextInt(mayBeFlat ? 4 : 3)) {
      case 0 -> sharding;
      case 1 -> sharding.split(0, AXIS);
      case 2 -> sharding.split(1, AXIS);
      default -> sharding.flat(AXIS);
    };
  }

  private void addSources(int ranks) {
    Mesh mesh = Mesh.of("train", Mesh.axis(AXIS, ranks));
    List<Memory> memories = memories(ranks);
    List<List<SourceShare>> shares = new ArrayList<>();
    memories.forEach(memory -> shares.add(new ArrayList<>()));
    for (Held one : held.values()) {
      Sharding sharding = sharding(mesh, true);
      String group = random.nextBoolean() ? "dense" : "experts";
      for (int rank = 0; rank < ranks; rank++) {
        LocalPart part = sharding.of(one.tensor(), rank);
        if (!part.isEmpty()) {
          List<Piece> pieces = memories.get(rank).place(part);
          shares.get(rank).add(new SourceShare(one.tensor(), group, pieces));
        }
      }
    }
    for (int rank = 0; rank < ranks; rank++) {
      Rank described = memories.get(rank).rank("trainer-" + rank, true);
      sources.add(new SourceRank(described, shares.get(rank)));
    }
  }

  private void addTargets(int ranks) {
    Mesh mesh = Mesh.of("serve", Mesh.axis(AXIS, ranks));
    List<Memory> memories = memories(ranks);
    List<List<TargetShare>> shares = new ArrayList<>();
    memories.forEach(memory -> shares.add(new ArrayList<>()));
    for (Wanted one : wanted) {
      Sharding sharding = sharding(mesh, false);
      for (int rank = 0; rank < ranks; rank++) {
        LocalPart part = sharding.of(one.tensor(), rank);
        if (!part.isEmpty()) {
          List<Piece> pieces = memories.get(rank).place(part);
          shares.get(rank).add(new TargetShare(one.tensor(), one.content(), pieces));
        }
      }
    }
    for (int rank = 0; rank < ranks; rank++) {
      Rank described = memories.get(rank).rank("rank-" + rank, false);
      targets.add(new TargetRank(described, shares.get(rank)));
    }
  }

  /** All have the same, at the same places. */
  private void addReplicas(int ranks) {
    Memory memory = new Memory();
    Sharding whole = Sharding.replicated(Mesh.of("serve"));
    List<TargetShare> shares = new ArrayList<>();
    for (Wanted one : wanted) {
      List<Piece> pieces = memory.place(whole.of(one.tensor(), 0));
      shares.add(new TargetShare(one.tensor(), one.content(), pieces));
    }
    for (int rank = 0; rank < ranks; rank++) {
      targets.add(new TargetRank(memory.rank("rank-" + rank, false), shares));
    }
  }

  private List<Memory> memories(int ranks) {
    List<Memory> memories = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      memories.add(new Memory());
    }
    return memories;
  }
}
