package io.reactivetransfer.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which part of a tensor each rank of a mesh holds. */
class ShardingTest {

  private static final Tensor W = new Tensor("w", DataType.BF16, Shape.of(10, 4));
  private static final Mesh LINE = Mesh.of("line", Mesh.axis("x", 4));
  private static final Mesh CUBE =
      Mesh.of("cube", Mesh.axis("pp", 2), Mesh.axis("ep", 2), Mesh.axis("tp", 3));

  private static List<String> boxes(Sharding sharding, Tensor tensor) {
    List<String> boxes = new ArrayList<>();
    for (int rank = 0; rank < sharding.mesh().ranks(); rank++) {
      boxes.add(
          sharding.of(tensor, rank).pieces(0, 0).stream()
              .map(piece -> piece.box().toString())
              .reduce("", (one, other) -> one + (one.isEmpty() ? "" : " ") + other));
    }
    return boxes;
  }

  @Test
  void theLastAxisCountsFastest() {
    assertThat(CUBE.ranks()).isEqualTo(12);
    assertThat(CUBE.coordinate(7, "pp")).isEqualTo(1);
    assertThat(CUBE.coordinate(7, "ep")).isZero();
    assertThat(CUBE.coordinate(7, "tp")).isEqualTo(1);
  }

  @Test
  void replicatedIsAllOfItEverywhere() {
    assertThat(boxes(Sharding.replicated(LINE), W)).hasSize(4).containsOnly("[0:10, 0:4]");
  }

  @Test
  void theLastOnesHaveLess() {
    assertThat(boxes(Sharding.replicated(LINE).split(0, "x"), W))
        .containsExactly("[0:3, 0:4]", "[3:6, 0:4]", "[6:9, 0:4]", "[9:10, 0:4]");
    Tensor small = new Tensor("w", DataType.BF16, Shape.of(5));
    assertThat(boxes(Sharding.replicated(LINE).split(0, "x"), small))
        .containsExactly("[0:2]", "[2:4]", "[4:5]", "");
  }

  @Test
  void aRemainderCanBeSpread() {
    Cut spread = new Cut(1, Cut.Remainder.SPREAD);
    assertThat(boxes(Sharding.replicated(LINE).split(0, spread, "x"), W))
        .containsExactly("[0:3, 0:4]", "[3:6, 0:4]", "[6:8, 0:4]", "[8:10, 0:4]");
  }

  @Test
  void boundsCanBeMultiples() {
    assertThat(boxes(Sharding.replicated(LINE).split(0, Cut.inMultiplesOf(4), "x"), W))
        .containsExactly("[0:4, 0:4]", "[4:8, 0:4]", "[8:10, 0:4]", "");
  }

  @Test
  void severalDimensionsAndAxes() {
    Sharding both = Sharding.replicated(CUBE).split(0, "pp", "ep").split(1, "tp");
    assertThat(boxes(both, W))
        .startsWith("[0:3, 0:2]", "[0:3, 2:4]", "", "[3:6, 0:2]")
        .endsWith("[9:10, 0:2]", "[9:10, 2:4]", "");
  }

  @Test
  void onlyAtOneCoordinate() {
    assertThat(boxes(Sharding.replicated(CUBE).at("pp", 1).at("ep", 0).split(0, "tp"), W))
        .containsExactly(
            "", "", "", "", "", "", "[0:4, 0:4]", "[4:8, 0:4]", "[8:10, 0:4]", "", "", "");
  }

  @Test
  void flatSharesAreAsManyPiecesAsTheyNeed() {
    Tensor odd = new Tensor("w", DataType.BF16, Shape.of(5, 3));
    Sharding flat = Sharding.replicated(Mesh.of("two", Mesh.axis("x", 2))).flat("x");
    assertThat(boxes(flat, odd)).containsExactly("[0:2, 0:3] [2:3, 0:2]", "[2:3, 2:3] [3:5, 0:3]");
    LocalPart second = flat.of(odd, 1);
    assertThat(second.elements()).isEqualTo(7);
    assertThat(second.bytes()).as("with padding").isEqualTo(16);
    assertThat(second.pieces(3, 100))
        .extracting(Piece::place)
        .containsExactly(Place.of(3, 100, 3, 1), Place.of(3, 102, 3, 1));
  }

  @Test
  void flatSharesWithinASplit() {
    Tensor cube = new Tensor("w", DataType.FP32, Shape.of(4, 2, 2));
    Mesh mesh = Mesh.of("m", Mesh.axis("ep", 2), Mesh.axis("fsdp", 3));
    assertThat(boxes(Sharding.replicated(mesh).split(0, "ep").flat("fsdp"), cube))
        .containsExactly(
            "[0:1, 0:1, 0:2] [0:1, 1:2, 0:1]",
            "[0:1, 1:2, 1:2] [1:2, 0:1, 0:2]",
            "[1:2, 1:2, 0:2]",
            "[2:3, 0:1, 0:2] [2:3, 1:2, 0:1]",
            "[2:3, 1:2, 1:2] [3:4, 0:1, 0:2]",
            "[3:4, 1:2, 0:2]");
  }

  @Test
  void paddedArraysAreAllAlike() {
    Sharding padded = Sharding.replicated(LINE).split(1, Cut.inMultiplesOf(3), "x").padded();
    LocalPart last = padded.of(W, 1);
    assertThat(last.pieces(0, 0)).hasSize(1);
    assertThat(last.pieces(0, 0).getFirst().place()).isEqualTo(Place.of(0, 0, 3, 1));
    assertThat(last.bytes()).isEqualTo(60);
    assertThat(padded.of(W, 2).isEmpty()).isTrue();
  }

  @Test
  void severalTensorsInOneFlatArray() {
    Tensor bias = new Tensor("b", DataType.BF16, Shape.of(3));
    Tensor scalar = new Tensor("s", DataType.BF16, Shape.of());
    FlatShards flat = new FlatShards(List.of(bias, W, scalar), 3, 4);
    assertThat(flat.elements()).isEqualTo(16);
    assertThat(flat.of(0, "g", 0, 0))
        .extracting(share -> share.tensor().name() + share.pieces())
        .containsExactly(
            "b[Piece[box=[0:3], place=region 0 at 0, strides [1]]]",
            "w[Piece[box=[0:3, 0:4], place=region 0 at 6, strides [4, 1]],"
                + " Piece[box=[3:4, 0:1], place=region 0 at 30, strides [4, 1]]]");
    assertThat(flat.of(2, "g", 1, 8))
        .extracting(share -> share.tensor().name() + share.pieces())
        .containsExactly(
            "w[Piece[box=[7:8, 1:4], place=region 1 at 8, strides [4, 1]],"
                + " Piece[box=[8:10, 0:4], place=region 1 at 14, strides [4, 1]]]",
            "s[Piece[box=[], place=region 1 at 30, strides []]]");
  }

  @Test
  void fusedPartsAreCutEachByItself() {
    Tensor fused = new Tensor("qkv", DataType.BF16, Shape.of(16, 4));
    Mesh mesh = Mesh.of("tp", Mesh.axis("heads", 2), Mesh.axis("copies", 2));
    Sharding all = Sharding.replicated(mesh).split(0, "heads", "copies");
    Sharding few = Sharding.replicated(mesh).split(0, "heads"); // fewer heads than ranks
    FusedParts parts = new FusedParts(fused, 0).part(8, all).part(4, few).part(4, few);
    assertThat(parts.pieces(3, 0, 100))
        .extracting(Piece::toString)
        .containsExactly(
            "Piece[box=[6:8, 0:4], place=region 0 at 100, strides [4, 1]]",
            "Piece[box=[10:12, 0:4], place=region 0 at 116, strides [4, 1]]",
            "Piece[box=[14:16, 0:4], place=region 0 at 132, strides [4, 1]]");
    FusedParts columns = new FusedParts(fused, 1).part(2, all).part(2, all);
    assertThat(columns.pieces(1, 0, 0))
        .extracting(Piece::toString)
        .containsExactly(
            "Piece[box=[4:8, 0:2], place=region 0 at 0, strides [4, 1]]",
            "Piece[box=[4:8, 2:4], place=region 0 at 4, strides [4, 1]]");
    requireRefused(
        () -> new FusedParts(fused, 2), "expected a dimension of tensor qkv BF16 [16, 4], got 2");
    requireRefused(
        () -> new FusedParts(fused, 0).part(8, all).pieces(0, 0, 0),
        "expected parts of 16 along dimension 0 of tensor qkv, got [8]");
    requireRefused(
        () -> new FusedParts(fused, 1).part(2, all).part(2, few).pieces(0, 0, 0),
        "expected parts of tensor qkv that are cut alike but for dimension 1, got [[0:4, 0:2],"
            + " [0:8, 2:4]]");
    requireRefused(
        () ->
            new FusedParts(fused, 0)
                .part(16, Sharding.replicated(mesh).flat("heads"))
                .pieces(0, 0, 0),
        "expected parts of tensor qkv that are not cut as flat arrays");
  }

  private static void requireRefused(Runnable made, String message) {
    assertThatThrownBy(made::run).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  @Test
  void whatCannotBeIsRefused() {
    Sharding all = Sharding.replicated(CUBE);
    requireRefused(
        () -> all.split(0, "dp"), "expected an axis of mesh cube ([pp, ep, tp]), got dp");
    requireRefused(
        () -> all.split(0, "tp").split(1, "tp"), "expected each axis at most once, got [tp, tp]");
    requireRefused(
        () -> all.split(0, "tp").split(0, "ep"),
        "expected a dimension that is not split yet, and axes to split it along, got dimension 0"
            + " and [ep]");
    requireRefused(() -> all.at("pp", 2), "expected a coordinate of 0 to 1 along axis pp, got 2");
    requireRefused(
        () -> all.split(2, "tp").of(W, 0), "expected tensor w to have a dimension 2, got [10, 4]");
    requireRefused(
        () -> CUBE.coordinate(12, "pp"), "expected a rank of 0 to 11 of mesh cube, got 12");
    requireRefused(
        () -> Mesh.of("m", Mesh.axis("x", 2), Mesh.axis("x", 2)),
        "expected axes of different names in mesh m, got [Axis[name=x, size=2], Axis[name=x,"
            + " size=2]]");
    requireRefused(() -> Mesh.axis("x", 0), "expected 1 to 1048576 ranks along axis x, got 0");
    requireRefused(
        () -> Mesh.of("m", Mesh.axis("x", 1 << 20), Mesh.axis("y", 2)),
        "expected at most 1048576 ranks in mesh m, got [Axis[name=x, size=1048576], Axis[name=y,"
            + " size=2]]");
    requireRefused(() -> Cut.inMultiplesOf(0), "expected multiples of 1 or more, got 0");
    Tensor other = new Tensor("o", DataType.FP32, Shape.of(3));
    requireRefused(
        () -> new FlatShards(List.of(W, other), 2, 1),
        "expected tensors of one type in a flat array, got [w BF16 [10, 4], o FP32 [3]]");
    requireRefused(
        () -> new FlatShards(List.of(W), 0, 1),
        "expected 1 or more shares of a multiple of 1 or more elements, got 0 and 1");
    requireRefused(
        () -> new FlatShards(List.of(W), 2, 1).of(2, "g", 0, 0),
        "expected a share of 0 to 1, got 2");
    Tensor packed = new Tensor("p", DataType.INT4, Shape.of(3, 2));
    Sharding flat = Sharding.replicated(Mesh.of("six", Mesh.axis("x", 6))).flat("x");
    requireRefused(
        () -> new SourceShare(packed, "g", flat.of(packed, 0).pieces(0, 0)).hashCode(),
        "expected pieces of tensor p that begin and end at whole bytes, packed along the last"
            + " dimension, got Piece[box=[0:1, 0:1], place=region 0 at 0, strides [2, 1]]");
  }
}
