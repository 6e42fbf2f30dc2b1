package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.Cut;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.FusedParts;
import io.reactivetransfer.weights.LocalPart;
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
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What each rank of both sides holds of a model: what the library is told of it. */
final class Descriptions {

  /** So that what is placed behind something else is aligned for any vector. */
  private static final long ALIGNMENT = 64;

  /** Rows and columns that share a scale, where a tensor is not tiny. */
  private static final long BLOCK = 128;

  private static final long SMALL_BLOCK = 32;

  /** With fewer rows and columns a tensor is tiny: ranks could not share it out in blocks. */
  private static final long SMALL = 512;

  private final Weights weights;
  private final Layout from;
  private final Layout to;

  Descriptions(Weights weights, Layout from, Layout to) {
    this.weights = weights;
    this.from = from;
    this.to = to;
  }

  /** Who writes what where. */
  RoutingTable table() {
    return Planner.create()
        .plan(
            IntStream.range(0, from.ranks()).mapToObj(this::source).toList(),
            IntStream.range(0, to.ranks()).mapToObj(this::target).toList());
  }

  /** Name of a rank of the trainer. */
  static String trainer(int rank) {
    return "trainer-" + rank;
  }

  /** Name of an inference rank. */
  static String rank(int rank) {
    return "rank-" + rank;
  }

  /** A rank of the trainer. */
  SourceRank source(int rank) {
    List<SourceShare> shares = new ArrayList<>();
    long end = 0;
    for (Model.Held held : weights.model().held()) {
      LocalPart local = sharding(from, "train", held, Cut.LAST_HAS_LESS).of(held.tensor(), rank);
      if (local.isEmpty()) {
        continue;
      }
      List<Piece> pieces = local.pieces(0, end);
      if (weights instanceof FileWeights files) {
        pieces = pieces.stream().map(piece -> inFile(files, held.tensor(), piece)).toList();
      }
      shares.add(new SourceShare(held.tensor(), "all", pieces));
      end = aligned(end + local.bytes());
    }
    requireSomething(trainer(rank), shares, from);
    RegionSpec[] regions =
        weights instanceof FileWeights files
            ? files.files().stream()
                .map(file -> RegionSpec.loaded(file.all().byteSize()))
                .toArray(RegionSpec[]::new)
            : new RegionSpec[] {RegionSpec.registered(end)};
    return new SourceRank(Rank.of(trainer(rank), regions), shares);
  }

  private static Piece inFile(FileWeights files, Tensor tensor, Piece piece) {
    Box box = piece.box();
    long[] strides = tensor.shape().denseStrides();
    long first = 0;
    for (int i = 0; i < strides.length; i++) {
      first += box.start(i) * strides[i];
    }
    long offset = files.offset(tensor) + tensor.type().bytes(first);
    return new Piece(box, Place.of(files.file(tensor), offset, strides));
  }

  /** An inference rank. */
  TargetRank target(int rank) {
    List<TargetShare> shares = new ArrayList<>();
    long end = 0;
    for (Model.Wanted wanted : weights.model().wanted()) {
      Tensor tensor = tensor(wanted);
      long block = block(wanted);
      Cut cut = new Cut(block == 0 ? 1 : block, Cut.Remainder.SPREAD);
      List<Piece> pieces = pieces(tensor, wanted, parts(wanted, 1), cut, rank, end);
      if (!pieces.isEmpty()) {
        shares.add(new TargetShare(tensor, content(wanted), pieces));
        end = aligned(end + bytes(tensor, pieces));
      }
      Tensor scales = scales(wanted);
      if (scales != null) {
        Cut single = new Cut(1, Cut.Remainder.SPREAD);
        List<Piece> units = pieces(scales, wanted, parts(wanted, block), single, rank, end);
        if (!units.isEmpty()) {
          shares.add(new TargetShare(scales, Content.scalesOf(tensor.name()), units));
          end = aligned(end + bytes(scales, units));
        }
      }
    }
    requireSomething(rank(rank), shares, to);
    return new TargetRank(Rank.of(rank(rank), RegionSpec.registered(end)), shares);
  }

  private List<Piece> pieces(
      Tensor tensor, Model.Wanted wanted, List<Long> parts, Cut cut, int rank, long offset) {
    Sharding sharding = sharding(to, "serve", wanted.first(), cut);
    if (parts.size() == 1) {
      return sharding.of(tensor, rank).pieces(0, offset);
    }
    FusedParts fused = new FusedParts(tensor, 0);
    parts.forEach(rows -> fused.part(rows, sharding));
    return fused.pieces(rank, 0, offset);
  }

  /** Rows of each part, or of its blocks. */
  private static List<Long> parts(Model.Wanted wanted, long block) {
    return wanted.parts().size() == 1
        ? List.of(1L)
        : wanted.parts().stream().map(part -> Math.ceilDiv(part.rows(), block)).toList();
  }

  private Sharding sharding(Layout layout, String mesh, Model.Held held, Cut cut) {
    int dimensions = held.tensor().shape().dimensions();
    return layout.sharding(mesh, held.cutting(), dimensions, held.depth(), cut);
  }

  /** What the inference engine has. */
  Tensor tensor(Model.Wanted wanted) {
    DataType type = wanted.first().tensor().type();
    DataType other = to.type();
    boolean isCast = other != null && !other.isQuantized() && type.bits() > Byte.SIZE;
    return new Tensor(
        wanted.name(),
        other != null && (isCast || isQuantized(wanted)) ? other : type,
        wanted.shape());
  }

  /** Whether it has scales: matrices do, if that was asked for. */
  private boolean isQuantized(Model.Wanted wanted) {
    DataType other = to.type();
    return other != null
        && other.isQuantized()
        && wanted.first().tensor().type().bits() > Byte.SIZE
        && wanted.shape().dimensions() == 2;
  }

  /** Rows and columns that share a scale; 0 if it has none. */
  long block(Model.Wanted wanted) {
    long[] sizes = wanted.first().tensor().shape().sizes();
    return !isQuantized(wanted) ? 0 : Math.max(sizes[0], sizes[1]) < SMALL ? SMALL_BLOCK : BLOCK;
  }

  /** The tensor of its scales, or null. */
  @Nullable Tensor scales(Model.Wanted wanted) {
    long block = block(wanted);
    if (block == 0) {
      return null;
    }
    long rows = wanted.parts().stream().mapToLong(part -> Math.ceilDiv(part.rows(), block)).sum();
    long columns = Math.ceilDiv(wanted.shape().size(1), block);
    return new Tensor(wanted.name() + ".scale", DataType.FP32, Shape.of(rows, columns));
  }

  private Content content(Model.Wanted wanted) {
    List<String> names = wanted.parts().stream().map(part -> part.tensor().name()).toList();
    Recipe recipe =
        names.size() == 1
            ? Recipe.of(names.getFirst())
            : Recipe.fused(0, names.toArray(String[]::new));
    long block = block(wanted);
    return block == 0
        ? Content.of(recipe)
        : Content.quantized(recipe, Quantization.perBlock(block, block));
  }

  private static long bytes(Tensor tensor, List<Piece> pieces) {
    return tensor.type().bytes(pieces.stream().mapToLong(piece -> piece.box().elements()).sum());
  }

  private static long aligned(long offset) {
    return Math.ceilDiv(offset, ALIGNMENT) * ALIGNMENT;
  }

  private static void requireSomething(String rank, List<?> shares, Layout layout) {
    if (shares.isEmpty()) {
      throw new IllegalArgumentException(
          "expected a layout in which each rank has something of the model, got %s, where %s has nothing; use fewer ranks or a larger model"
              .formatted(layout, rank));
    }
  }
}
