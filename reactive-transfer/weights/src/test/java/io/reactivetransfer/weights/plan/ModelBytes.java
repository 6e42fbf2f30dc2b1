package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Random weights of a model: what the trainer has, and what the inference ranks must get. */
public final class ModelBytes {

  /** Of each rank of the trainer, each of its regions. */
  public final List<byte[][]> sources;

  /** Of each inference rank, each of its regions. */
  public final List<byte[][]> targets = new ArrayList<>();

  /** As many numbers: how often each byte is to be written. */
  final List<byte[][]> counts = new ArrayList<>();

  /** Draws other weights each time. */
  public ModelBytes(RandomModel model) {
    Map<String, int[]> values = values(model);
    sources = fill(model, values);
    Reference reference = new Reference(model, values);
    model.targets.forEach(target -> expect(reference, target));
  }

  private void expect(Reference reference, TargetRank target) {
    byte[][] expected = Rehearsal.memory(target.rank());
    byte[][] count = Rehearsal.memory(target.rank());
    for (TargetShare share : target.tensors()) {
      Tensor tensor = share.tensor();
      for (Piece piece : share.pieces()) {
        int region = piece.place().region();
        each(
            piece,
            (index, element) -> {
              int bits = reference.bits(share, index);
              Bits.put(expected[region], piece.place().offset(), element, tensor.type(), bits);
              int at = (int) (piece.place().offset() + element * tensor.type().bits() / 8);
              Arrays.fill(count[region], at, at + Math.max(1, tensor.type().bits() / 8), (byte) 1);
            });
      }
    }
    targets.add(expected);
    counts.add(count);
  }

  /** The bits of each element of each tensor of the trainer. */
  private static Map<String, int[]> values(RandomModel model) {
    Map<String, int[]> values = new HashMap<>();
    for (Tensor tensor : model.held.values()) {
      int[] bits = new int[(int) tensor.shape().elements()];
      DataType type = tensor.type();
      Arrays.setAll(
          bits,
          _ ->
              type.isFloating()
                  ? Bits.fromFloat(model.random.nextFloat(-3, 3), type)
                  : model.random.nextInt(1 << type.bits()));
      values.put(tensor.name(), bits);
    }
    return values;
  }

  private static List<byte[][]> fill(RandomModel model, Map<String, int[]> values) {
    List<byte[][]> all = new ArrayList<>();
    for (SourceRank rank : model.sources) {
      byte[][] memory = Rehearsal.memory(rank.rank());
      for (byte[] region : memory) {
        model.random.nextBytes(region);
      }
      for (SourceShare share : rank.tensors()) {
        int[] bits = values.get(share.tensor().name());
        long[] shape = share.tensor().shape().sizes();
        for (Piece piece : share.pieces()) {
          each(
              piece,
              (index, element) ->
                  Bits.put(
                      memory[piece.place().region()],
                      piece.place().offset(),
                      element,
                      share.tensor().type(),
                      bits[(int) Recipes.flat(shape, index)]));
        }
      }
      all.add(memory);
    }
    return all;
  }

  private interface Visitor {
    void visit(long[] index, long element);
  }

  /** Each element of a piece, and where it lies. */
  private static void each(Piece piece, Visitor visitor) {
    Recipes.each(
        piece.box().sizes(),
        index -> {
          long element = 0;
          long[] inTensor = index.clone();
          for (int i = 0; i < index.length; i++) {
            element += index[i] * piece.place().stride(i);
            inTensor[i] += piece.box().start(i);
          }
          visitor.visit(inTensor, element);
        });
  }
}
