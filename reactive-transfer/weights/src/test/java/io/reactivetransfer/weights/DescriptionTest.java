package io.reactivetransfer.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a rank says of itself is checked when it is said. */
class DescriptionTest {

  private static final Tensor W = new Tensor("w", DataType.BF16, Shape.of(4, 4));
  private static final Tensor V = new Tensor("v", DataType.BF16, Shape.of(4, 4));
  private static final Rank RANK = Rank.of("r", RegionSpec.registered(64));

  private static Piece piece(Tensor tensor, long offset, long... strides) {
    return new Piece(Box.whole(tensor.shape()), Place.of(0, offset, strides));
  }

  private static TargetShare target(Tensor tensor, Piece... pieces) {
    return new TargetShare(tensor, Content.of("x"), List.of(pieces));
  }

  private static void requireRefused(Runnable made, String message) {
    assertThatThrownBy(made::run).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  @Test
  void shapes() {
    assertThat(Shape.of(2, 3, 4).denseStrides()).containsExactly(12, 4, 1);
    assertThat(Shape.of(2, 1, 4).squeezed()).isEqualTo(Shape.of(2, 4));
    assertThat(Shape.of().elements()).isEqualTo(1);
    requireRefused(
        () -> Shape.of(2, 0),
        "expected dimensions of 1 or more and at most 2^56 elements, got [2, 0]");
    requireRefused(
        () -> Shape.of(1L << 40, 1L << 17),
        "expected dimensions of 1 or more and at most 2^56 elements, got [1099511627776, 131072]");
    requireRefused(
        () -> Shape.of(1, 1, 1, 1, 1, 1, 1, 1, 1), "expected at most 8 dimensions, got 9");
  }

  @Test
  void boxesAndPlaces() {
    requireRefused(
        () -> Box.of(new long[] {0}, new long[] {0}),
        "expected a start of 0 or more and a size of 1 or more along each dimension, got [0] and"
            + " [0]");
    requireRefused(
        () -> Place.of(0, 0, 0),
        "expected a region and an offset of 0 or more and strides of 1 or more, got 0, 0 and [0]");
    requireRefused(
        () -> piece(W, 0, 4), "expected as many strides as the box has dimensions (2), got 1");
    String apart = "expected strides at which the elements of [0:4, 0:4] lie apart and within 2^56";
    requireRefused(() -> piece(W, 0, 3, 1), apart + " elements, got region 0 at 0, strides [3, 1]");
    requireRefused(() -> piece(W, 0, 1, 1), apart + " elements, got region 0 at 0, strides [1, 1]");
    requireRefused(
        () -> piece(W, 0, Shape.MAX_ELEMENTS, 1),
        apart + " elements, got region 0 at 0, strides [72057594037927936, 1]");
    assertThat(piece(W, 0, 1, 4).extent()).isEqualTo(16);
    assertThat(piece(W, 0, 7, 2).extent()).isEqualTo(28);
  }

  @Test
  void types() {
    assertThat(DataType.INT4.bytes(6)).isEqualTo(3);
    assertThat(DataType.FP32.bytes(6)).isEqualTo(24);
    requireRefused(
        () -> DataType.INT4.bytes(5), "expected elements of INT4 that fill their last byte, got 5");
    requireRefused(
        () -> new Tensor("p", DataType.INT4, Shape.of(2, 3)),
        "expected tensor p of INT4 to have an even number of elements along its last dimension, got"
            + " [2, 3]");
  }

  @Test
  void piecesOfTheTensorAndOfTheMemory() {
    requireRefused(() -> target(W), "expected 1 to 1048576 pieces of tensor w, got 0");
    Piece large = new Piece(Box.of(new long[2], new long[] {5, 4}), Place.of(0, 0, 4, 1));
    requireRefused(
        () -> target(W, large),
        "expected pieces of tensor w within its shape [4, 4], got [0:5, 0:4]");
    requireRefused(
        () -> new TargetRank(RANK, List.of(target(W, piece(W, 34, 4, 1)))).hashCode(),
        "expected tensor w within the memory of rank r, got [0:4, 0:4] in region 0 up to byte 66 of"
            + " 64");
    Piece elsewhere = new Piece(Box.whole(W.shape()), Place.of(1, 0, 4, 1));
    requireRefused(
        () -> new SourceRank(RANK, List.of(new SourceShare(W, "g", List.of(elsewhere)))).hashCode(),
        "expected tensor w within the memory of rank r, got [0:4, 0:4] in region 1 up to byte 32 of"
            + " no such region");
    requireRefused(
        () ->
            new SourceRank(
                    RANK,
                    List.of(new SourceShare(W, "g", List.of(piece(W, Long.MAX_VALUE - 7, 4, 1)))))
                .hashCode(),
        "expected tensor w within the memory of rank r, got [0:4, 0:4] in region 0 up to byte"
            + " 9223372036854775832 of 64");
  }

  @Test
  void eachTensorOnce() {
    SourceShare share = new SourceShare(W, "g", List.of(piece(W, 0, 4, 1)));
    requireRefused(
        () -> new SourceRank(RANK, List.of(share, share)).hashCode(),
        "expected each tensor of rank r once; several pieces are one share");
    requireRefused(
        () ->
            new TargetRank(
                    RANK, List.of(target(W, piece(W, 0, 4, 1)), target(W, piece(W, 32, 4, 1))))
                .hashCode(),
        "expected each tensor of rank r once; several pieces are one share");
  }

  @Test
  void targetsLieApart() {
    String apart =
        "expected tensors of rank r that lie apart, or take turns at equal strides, got w and v,"
            + " which meet in region 0";
    TargetShare first = target(W, piece(W, 0, 4, 1));
    assertThat(new TargetRank(RANK, List.of(first, target(V, piece(V, 32, 4, 1)))).tensors())
        .hasSize(2);
    requireRefused(
        () -> new TargetRank(RANK, List.of(first, target(V, piece(V, 30, 4, 1)))).hashCode(),
        apart);
    // Rows that take turns, as those of fused tensors do.
    TargetShare left = target(W, piece(W, 0, 8, 1));
    assertThat(new TargetRank(RANK, List.of(left, target(V, piece(V, 8, 8, 1)))).tensors())
        .hasSize(2);
    Rank wide = Rank.of("r", RegionSpec.registered(128));
    requireRefused(
        () -> new TargetRank(wide, List.of(left, target(V, piece(V, 6, 8, 1)))).hashCode(), apart);
    requireRefused(
        () -> new TargetRank(wide, List.of(left, target(V, piece(V, 8, 9, 1)))).hashCode(), apart);
  }

  @Test
  void ranks() {
    requireRefused(() -> Rank.of("r").withNics(), "expected 1 to 64 NICs of rank r, got 0");
    requireRefused(
        () -> Rank.of("r").withNics("n", "n"), "expected each NIC of rank r once, got [n, n]");
    requireRefused(
        () -> new Rank("r", Collections.nCopies(65_537, RegionSpec.registered(1)), List.of("n")),
        "expected at most 65536 regions of rank r, got 65537");
    requireRefused(() -> RegionSpec.loaded(0), "expected a region of 1 or more bytes, got 0");
    requireRefused(
        () -> new TargetRank(Rank.of("r", RegionSpec.loaded(1)), List.of()).hashCode(),
        "expected registered memory of target rank r, got region 0");
    requireRefused(
        () -> Rank.of(""), "expected 1 to 255 bytes of UTF-8 as the name of a rank, got 0");
  }

  @Test
  void quantizations() {
    assertThat(Quantization.perBlock(128, 3).unit(Shape.of(64, 64))).isEqualTo(Shape.of(64, 3));
    assertThat(Quantization.perChannel(0).unit(Shape.of(64, 32))).isEqualTo(Shape.of(1, 32));
    assertThat(Quantization.perTensor().unit(Shape.of())).isEqualTo(Shape.of());
    requireRefused(() -> Quantization.perChannel(8), "expected a dimension of 0 to 7, got 8");
    requireRefused(
        () -> Quantization.perBlock(4, 0),
        "expected blocks of 1 to 8 dimensions of 1 or more elements, got [4, 0]");
  }

  @Test
  void recipes() {
    Recipe nested = Recipe.of("a");
    for (int i = 1; i < Recipe.MAX_DEPTH; i++) {
      nested = Recipe.fused(0, nested);
    }
    Recipe deep = nested;
    requireRefused(
        () -> Recipe.fused(0, deep).hashCode(),
        "expected a recipe of at most 16 levels and 65536 nodes, got 17 and 17");
    Recipe[] many = new Recipe[65_536];
    Arrays.fill(many, Recipe.of("a"));
    requireRefused(
        () -> Recipe.stacked(0, many).hashCode(),
        "expected a recipe of at most 16 levels and 65536 nodes, got 2 and 65537");
    requireRefused(
        () -> new Recipe.Transposed(deep, List.of(1, 2)).hashCode(),
        "expected each of 0 to 1 once, got [1, 2]");
    requireRefused(
        () -> Recipe.fused(8, "a").hashCode(),
        "expected a dimension of 0 or more and 1 or more parts, got 8 and 1");
    requireRefused(
        () -> Recipe.stacked(0).hashCode(),
        "expected a dimension of 0 or more and 1 or more parts, got 0 and 0");
    requireRefused(
        () -> new Recipe.Picked(deep, 0, -1).hashCode(),
        "expected a dimension and an index of 0 or more, got 0 and -1");
  }
}
