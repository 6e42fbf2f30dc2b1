package io.reactivetransfer.weights.codec;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.Quantization;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bytes of what a rank says of itself. */
final class DescriptionForm {

  private static final int VALUES = 1;
  private static final int SCALES = 2;

  private static final int NONE = 0;
  private static final int PER_TENSOR = 1;
  private static final int PER_CHANNEL = 2;
  private static final int PER_BLOCK = 3;

  /** Of the shortest one. */
  private static final int SHARE_BYTES = 2 + 1 + 1 + 2 + 1;

  private static final int PIECE_BYTES = 2;

  private DescriptionForm() {}

  static void write(SourceRank rank, FormWriter out) {
    RankForm.write(rank.rank(), out);
    out.number(rank.tensors().size());
    for (SourceShare share : rank.tensors()) {
      out.tensor(share.tensor()).name(share.group());
      pieces(share.pieces(), out);
    }
  }

  static SourceRank readSource(FormReader in) {
    Rank rank = RankForm.read(in);
    int count = in.count("tensors", 0, SHARE_BYTES);
    List<SourceShare> shares = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Tensor tensor = in.tensor();
      shares.add(new SourceShare(tensor, in.name("mesh group"), pieces(tensor, in)));
    }
    return new SourceRank(rank, shares);
  }

  static void write(TargetRank rank, FormWriter out) {
    RankForm.write(rank.rank(), out);
    out.number(rank.tensors().size());
    for (TargetShare share : rank.tensors()) {
      out.tensor(share.tensor());
      switch (share.content()) {
        case Content.Values values -> {
          RecipeForm.write(values.recipe(), out.u8(VALUES));
          quantization(values.quantization(), out);
        }
        case Content.Scales scales -> out.u8(SCALES).name(scales.tensor());
      }
      pieces(share.pieces(), out);
    }
  }

  static TargetRank readTarget(FormReader in) {
    Rank rank = RankForm.read(in);
    int count = in.count("tensors", 0, SHARE_BYTES);
    List<TargetShare> shares = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Tensor tensor = in.tensor();
      Content content =
          in.u8("content", VALUES, SCALES) == VALUES
              ? new Content.Values(RecipeForm.read(in), quantization(in))
              : new Content.Scales(in.name("tensor"));
      shares.add(new TargetShare(tensor, content, pieces(tensor, in)));
    }
    return new TargetRank(rank, shares);
  }

  private static void quantization(@Nullable Quantization quantization, FormWriter out) {
    if (quantization == null) {
      out.u8(NONE);
      return;
    }
    switch (quantization.granularity()) {
      case TENSOR -> out.u8(PER_TENSOR);
      case CHANNEL -> out.u8(PER_CHANNEL).u8(quantization.channel());
      case BLOCK -> {
        long[] block = quantization.block();
        out.u8(PER_BLOCK).u8(block.length).numbers(block);
      }
    }
  }

  private static @Nullable Quantization quantization(FormReader in) {
    return switch (in.u8("quantisation", NONE, PER_BLOCK)) {
      case NONE -> null;
      case PER_TENSOR -> Quantization.perTensor();
      case PER_CHANNEL -> Quantization.perChannel(in.u8("dimension", 0, 255));
      default -> Quantization.perBlock(in.numbers("size of a block", in.u8("dimensions", 1, 8)));
    };
  }

  private static void pieces(List<Piece> pieces, FormWriter out) {
    out.number(pieces.size());
    pieces.forEach(piece -> out.box(piece.box()).place(piece.place()));
  }

  private static List<Piece> pieces(Tensor tensor, FormReader in) {
    int dimensions = tensor.shape().dimensions();
    int count = in.count("pieces", 1, PIECE_BYTES + 3 * dimensions);
    List<Piece> pieces = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Box box = in.box(dimensions);
      pieces.add(new Piece(box, in.place(dimensions)));
    }
    return pieces;
  }
}
