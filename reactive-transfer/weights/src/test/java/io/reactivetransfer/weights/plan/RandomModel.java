package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.Cut;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.FlatShards;
import io.reactivetransfer.weights.LocalPart;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.Place;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** A trainer and an inference engine that fit each other, drawn from a seed. */
public final class RandomModel {

  private static final DataType[] WIDE = {DataType.FP32, DataType.BF16, DataType.FP16};
  private static final DataType[] SCALED = {
    DataType.FP8_E4M3, DataType.FP8_E5M2, DataType.INT8, DataType.INT4
  };

  final Random random;

  /** The trainer. */
  public final List<SourceRank> sources;

  /** The inference engine. */
  public final List<TargetRank> targets;

  final Map<String, Tensor> held = new LinkedHashMap<>();
  final Map<String, Content> contents = new LinkedHashMap<>();
  final Map<String, Tensor> wanted = new LinkedHashMap<>();
  final Recipes recipes;

  private final List<String> groups = List.of("dense", "experts");

  /** The one of a seed. */
  public RandomModel(long seed) {
    random = new Random(seed);
    int families = 1 + random.nextInt(2);
    for (int i = 0; i < families; i++) {
      DataType type = DataType.values()[random.nextInt(DataType.values().length)];
      Shape shape = shape(type);
      for (int j = 0; j < 1 + random.nextInt(2); j++) {
        DataType own = type.isFloating() && random.nextInt(4) == 0 ? WIDE[random.nextInt(3)] : type;
        Tensor tensor = new Tensor("t" + i + "." + j, own, shape);
        held.put(tensor.name(), tensor);
      }
    }
    Map<String, Shape> shapes = new LinkedHashMap<>();
    held.values().forEach(tensor -> shapes.put(tensor.name(), tensor.shape()));
    recipes = new Recipes(shapes);
    for (int i = 0; i < 1 + random.nextInt(3); i++) {
      want("w" + i);
    }
    sources = sources();
    targets = targets();
  }

  private Shape shape(DataType type) {
    long[] sizes = new long[type.isPacked() ? 1 + random.nextInt(2) : random.nextInt(4)];
    int most = sizes.length == 3 ? 6 : 14;
    Arrays.setAll(sizes, _ -> 1 + random.nextInt(most));
    if (type.isPacked()) {
      sizes[sizes.length - 1] = 2 + 2 * random.nextInt(5);
    }
    return Shape.of(sizes);
  }

  private <T> T any(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  // What is wanted

  private void want(String name) {
    Tensor first = any(List.copyOf(held.values()));
    Recipe recipe = recipe(first, random.nextInt(4));
    long[] sizes = recipes.shape(recipe);
    if (Arrays.stream(sizes).reduce(1, (one, other) -> one * other) > 1500) {
      recipe = Recipe.of(first.name());
      sizes = recipes.shape(recipe);
    }
    Shape shape = Shape.of(sizes);
    boolean isWide = first.type().isFloating() && !first.type().isQuantized();
    if (isWide && random.nextInt(2) == 0) {
      wantQuantized(name, recipe, shape);
      return;
    }
    DataType type = first.type();
    if (type.isFloating() && random.nextInt(3) == 0) {
      type = any(List.of(DataType.FP32, DataType.BF16, DataType.FP16, DataType.FP8_E4M3));
    }
    if (first.type().isPacked() && isOdd(shape)) {
      recipe = Recipe.of(first.name());
      shape = first.shape();
    }
    add(new Tensor(name, type, shape), Content.of(recipe));
  }

  private static boolean isOdd(Shape shape) {
    return shape.dimensions() == 0 || shape.size(shape.dimensions() - 1) % 2 != 0;
  }

  private void wantQuantized(String name, Recipe recipe, Shape shape) {
    int dimensions = shape.dimensions();
    Quantization quantization =
        switch (random.nextInt(dimensions == 0 ? 1 : 4)) {
          case 0 -> Quantization.perTensor();
          case 1 -> Quantization.perChannel(random.nextInt(dimensions));
          default -> {
            long[] block = new long[dimensions];
            Arrays.setAll(block, _ -> 1 + random.nextInt(6));
            yield Quantization.perBlock(block);
          }
        };
    DataType type = SCALED[random.nextInt(SCALED.length)];
    if (type.isPacked() && (isOdd(shape) || hasOddParts(recipe, shape))) {
      type = DataType.INT8;
    }
    add(new Tensor(name, type, shape), Content.quantized(recipe, quantization));
    long[] units = new long[dimensions];
    Arrays.setAll(units, i -> bounds(recipe, quantization, shape, i).size());
    Shape scales = Shape.of(units);
    if (random.nextBoolean()) {
      scales = scales.squeezed();
    }
    Tensor tensor = new Tensor(name + ".scale", WIDE[random.nextInt(3)], scales);
    add(tensor, Content.scalesOf(name));
  }

  private boolean hasOddParts(Recipe recipe, Shape shape) {
    return recipes.bounds(recipe, shape.dimensions() - 1).stream()
        .anyMatch(bound -> bound % 2 != 0);
  }

  /** Where units begin along a dimension. */
  List<Long> bounds(Recipe recipe, Quantization quantization, Shape shape, int dimension) {
    List<Long> found = new ArrayList<>();
    long size = shape.size(dimension);
    switch (quantization.granularity()) {
      case TENSOR -> found.add(0L);
      case CHANNEL -> {
        for (long i = 0; i < size; i += quantization.channel() == dimension ? 1 : size) {
          found.add(i);
        }
      }
      case BLOCK -> {
        long begin = 0;
        for (long i = 0; i < size; i++) {
          if (recipes.bounds(recipe, dimension).contains(i)) {
            begin = i;
          }
          if ((i - begin) % quantization.block()[dimension] == 0) {
            found.add(i);
          }
        }
      }
    }
    return found;
  }

  private void add(Tensor tensor, Content content) {
    wanted.put(tensor.name(), tensor);
    contents.put(tensor.name(), content);
  }

  private Recipe recipe(Tensor of, int depth) {
    if (depth == 0) {
      return leaf(of);
    }
    Recipe inner = recipe(of, depth - 1);
    long[] shape = recipes.shape(inner);
    boolean isPacked = of.type().isPacked();
    int dimensions = shape.length - (isPacked ? 1 : 0); // the last one stays as it is
    switch (random.nextInt(5)) {
      case 0 -> {
        List<Integer> order = new ArrayList<>(IntStream.range(0, dimensions).boxed().toList());
        Collections.shuffle(order, random);
        if (isPacked) {
          order.add(dimensions);
        }
        return new Recipe.Transposed(inner, order);
      }
      case 1 -> {
        if (dimensions == 0) {
          return inner;
        }
        int dimension = random.nextInt(dimensions);
        return Recipe.fused(dimension, inner, slice(inner, dimension), recipeLike(inner, of));
      }
      case 2 -> {
        if (shape.length > 2) {
          return inner;
        }
        int dimension = random.nextInt(dimensions + 1);
        return Recipe.stacked(dimension, inner, recipeLike(inner, of));
      }
      case 3 -> {
        return dimensions == 0 ? inner : slice(inner, random.nextInt(dimensions));
      }
      default -> {
        if (dimensions == 0) {
          return inner;
        }
        int dimension = random.nextInt(dimensions);
        return new Recipe.Picked(inner, dimension, random.nextInt((int) shape[dimension]));
      }
    }
  }

  private Recipe leaf(Tensor of) {
    List<Tensor> alike =
        held.values().stream()
            .filter(tensor -> tensor.shape().equals(of.shape()))
            .filter(tensor -> tensor.type().isQuantized() == of.type().isQuantized())
            .filter(tensor -> tensor.type().isFloating() == of.type().isFloating())
            .filter(tensor -> tensor.type().isFloating() || tensor.type() == of.type())
            .toList();
    return Recipe.of(any(alike).name());
  }

  private Recipe recipeLike(Recipe inner, Tensor of) {
    return inner instanceof Recipe.Of ? leaf(of) : inner;
  }

  private Recipe slice(Recipe of, int dimension) {
    long[] shape = recipes.shape(of);
    long from = random.nextInt((int) shape[dimension]);
    long end = from + 1 + random.nextInt((int) (shape[dimension] - from));
    return new Recipe.Sliced(of, Box.whole(Shape.of(shape)).with(dimension, from, end));
  }

  // Who has what

  private Sharding sharding(Mesh mesh, Tensor tensor) {
    Sharding sharding = Sharding.replicated(mesh);
    List<Mesh.Axis> axes = new ArrayList<>(mesh.axes());
    Collections.shuffle(axes, random);
    List<Integer> dimensions =
        new ArrayList<>(IntStream.range(0, tensor.shape().dimensions()).boxed().toList());
    Collections.shuffle(dimensions, random);
    for (Mesh.Axis axis : axes) {
      switch (random.nextInt(4)) {
        case 0 -> {
          if (!dimensions.isEmpty()) {
            int dimension = dimensions.removeFirst();
            boolean isLast = dimension == tensor.shape().dimensions() - 1;
            int multiple = tensor.type().isPacked() && isLast ? 2 : 1 + random.nextInt(3);
            Cut.Remainder remainder = any(List.of(Cut.Remainder.values()));
            sharding = sharding.split(dimension, new Cut(multiple, remainder), axis.name());
          }
        }
        case 1 -> sharding = sharding.at(axis.name(), random.nextInt(axis.size()));
        case 2 -> {
          if (!tensor.type().isPacked()) {
            sharding = sharding.flat(axis.name());
          }
        }
        default -> {}
      }
    }
    return random.nextInt(3) == 0 ? sharding.padded() : sharding;
  }

  private Mesh mesh(String name, int most) {
    return Mesh.of(
        name,
        Mesh.axis("a", 1 + random.nextInt(2)),
        Mesh.axis("b", 1 + random.nextInt(3)),
        Mesh.axis("c", 1 + random.nextInt(most)));
  }

  /** Puts what one rank holds behind each other in some regions, not without gaps. */
  private final class Memory {
    final long[] bytes = new long[1 + random.nextInt(2)];

    List<Piece> place(LocalPart part) {
      int region = random.nextInt(bytes.length);
      long offset = bytes[region] + 4 * random.nextInt(3);
      List<Piece> pieces = part.pieces(region, offset);
      bytes[region] = offset + (part.bytes() + 3) / 4 * 4;
      if (pieces.size() == 1 && !part.tensor().type().isPacked() && random.nextInt(3) == 0) {
        Box box = pieces.getFirst().box();
        long[] strides = new long[box.dimensions()];
        List<Integer> order = new ArrayList<>(IntStream.range(0, strides.length).boxed().toList());
        Collections.shuffle(order, random);
        long next = 1 + random.nextInt(2);
        for (int dimension : order) {
          strides[dimension] = next;
          next = next * box.size(dimension) + random.nextInt(2);
        }
        bytes[region] = offset + part.tensor().type().bytes(next + 8) / 4 * 4 + 4;
        return List.of(new Piece(box, Place.of(region, offset, strides)));
      }
      return pieces;
    }

    Rank rank(String name, boolean isSource) {
      RegionSpec[] regions = new RegionSpec[bytes.length];
      for (int i = 0; i < regions.length; i++) {
        boolean isLoaded = isSource && random.nextInt(8) == 0;
        regions[i] = new RegionSpec(bytes[i] + 1 + random.nextInt(9), !isLoaded);
      }
      return Rank.of(name, regions);
    }
  }

  private List<SourceRank> sources() {
    List<List<SourceShare>> shares = new ArrayList<>();
    List<Memory> memories = new ArrayList<>();
    int meshes = 1 + random.nextInt(4) / 3; // sometimes two that hold the same, cut differently
    for (int i = 0; i < meshes; i++) {
      Mesh mesh = mesh("train" + i, 4);
      int first = shares.size();
      for (int rank = 0; rank < mesh.ranks(); rank++) {
        shares.add(new ArrayList<>());
        memories.add(new Memory());
      }
      boolean isFlat = random.nextInt(4) == 0 && mesh.ranks() > 1;
      if (isFlat) {
        flat(mesh, first, shares, memories);
        continue;
      }
      for (Tensor tensor : held.values()) {
        Sharding sharding = sharding(mesh, tensor);
        for (int rank = 0; rank < mesh.ranks(); rank++) {
          LocalPart part = sharding.of(tensor, rank);
          if (!part.isEmpty()) {
            List<Piece> pieces = memories.get(first + rank).place(part);
            shares.get(first + rank).add(new SourceShare(tensor, group(tensor), pieces));
          }
        }
      }
    }
    List<SourceRank> ranks = new ArrayList<>();
    for (int rank = 0; rank < shares.size(); rank++) {
      String nic = "nic" + rank / 2;
      Rank one = memories.get(rank).rank("trainer-" + rank, true);
      ranks.add(new SourceRank(random.nextBoolean() ? one : one.withNics(nic), shares.get(rank)));
    }
    return ranks;
  }

  private String group(Tensor tensor) {
    return groups.get(tensor.name().hashCode() & 1);
  }

  /** All tensors of a type in one flat array. */
  private void flat(Mesh mesh, int first, List<List<SourceShare>> shares, List<Memory> memories) {
    for (DataType type : DataType.values()) {
      List<Tensor> tensors =
          held.values().stream().filter(tensor -> tensor.type() == type).toList();
      if (tensors.isEmpty()) {
        continue;
      }
      for (int rank = 0; rank < mesh.ranks(); rank++) {
        Memory memory = memories.get(first + rank);
        if (type.isPacked()) { // whole tensors, at one rank each
          for (Tensor tensor : tensors) {
            if (rank == (tensor.name().hashCode() & 1) % mesh.ranks()) {
              LocalPart whole = Sharding.replicated(mesh).of(tensor, rank);
              List<Piece> pieces = memory.place(whole);
              shares.get(first + rank).add(new SourceShare(tensor, group(tensor), pieces));
            }
          }
          continue;
        }
        FlatShards flat = new FlatShards(tensors, mesh.ranks(), 1 + rank % 1);
        for (SourceShare share : flat.of(rank, "x", 0, memory.bytes[0])) {
          shares
              .get(first + rank)
              .add(new SourceShare(share.tensor(), group(share.tensor()), share.pieces()));
        }
        memory.bytes[0] += flat.bytes();
      }
    }
  }

  private List<TargetRank> targets() {
    Mesh mesh = mesh("serve", 3);
    List<TargetRank> ranks = new ArrayList<>();
    Map<String, Sharding> shardings = new LinkedHashMap<>();
    wanted.values().forEach(tensor -> shardings.put(tensor.name(), sharding(mesh, tensor)));
    for (int rank = 0; rank < mesh.ranks(); rank++) {
      Memory memory = new Memory();
      List<TargetShare> shares = new ArrayList<>();
      for (Tensor tensor : wanted.values()) {
        LocalPart part = shardings.get(tensor.name()).of(tensor, rank);
        if (!part.isEmpty()) {
          shares.add(new TargetShare(tensor, contents.get(tensor.name()), memory.place(part)));
        }
      }
      ranks.add(new TargetRank(memory.rank("rank-" + rank, false), shares));
    }
    return ranks;
  }
}
