package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What each byte of each inference rank must be, computed in one process, tensor by tensor and
 * without a table. Knows each rank's memory by one checksum for each of its tensors.
 */
final class Reference {

  private final Weights weights;
  private final Descriptions descriptions;
  private final List<TargetRank> ranks;
  private @Nullable List<List<Integer>> unchanging;

  Reference(Weights weights, Descriptions descriptions, int ranks) {
    this.weights = weights;
    this.descriptions = descriptions;
    this.ranks = new ArrayList<>();
    for (int i = 0; i < ranks; i++) {
      this.ranks.add(descriptions.target(i));
    }
  }

  /** For each rank, the checksum of each of its tensors in the order of its description. */
  synchronized List<List<Integer>> sums(long version) {
    List<List<Integer>> known = unchanging;
    if (known != null) {
      return known;
    }
    List<List<Integer>> sums = new ArrayList<>();
    ranks.forEach(rank -> sums.add(new ArrayList<>()));
    for (Model.Wanted wanted : weights.model().wanted()) {
      try (Arena arena = Arena.ofConfined()) {
        Tensor tensor = descriptions.tensor(wanted);
        MemorySegment made = arena.allocate(tensor.bytes());
        Tensor scales = descriptions.scales(wanted);
        MemorySegment units = arena.allocate(scales == null ? 0 : scales.bytes());
        make(wanted, version, tensor, made, units);
        add(tensor, made, sums);
        if (scales != null) {
          add(scales, units, sums);
        }
      }
    }
    unchanging = weights.changes() ? null : sums;
    return sums;
  }

  /** Descriptions name tensors in the same order. */
  private void add(Tensor tensor, MemorySegment whole, List<List<Integer>> sums) {
    for (int rank = 0; rank < ranks.size(); rank++) {
      int next = sums.get(rank).size();
      List<TargetShare> shares = ranks.get(rank).tensors();
      if (next < shares.size() && shares.get(next).tensor().equals(tensor)) {
        sums.get(rank).add(sum(shares.get(next), whole));
      }
    }
  }

  private static int sum(TargetShare share, MemorySegment whole) {
    CRC32C sum = new CRC32C();
    DataType type = share.tensor().type();
    long[] strides = share.tensor().shape().denseStrides();
    for (Piece piece : share.pieces()) {
      Box box = piece.box();
      long first = 0;
      for (int i = 0; i < strides.length; i++) {
        first += box.start(i) * strides[i];
      }
      Rows.each(
          box.sizes(),
          strides,
          first,
          (at, length) -> Rows.add(sum, whole, type.bytes(at), type.bytes(length)));
    }
    return (int) sum.getValue();
  }

  /** The same of what a rank has, in its own memory. */
  static int sumAt(TargetShare share, MemorySegment memory) {
    CRC32C sum = new CRC32C();
    DataType type = share.tensor().type();
    for (Piece piece : share.pieces()) {
      Rows.each(
          piece.box().sizes(),
          piece.place().strides(),
          0,
          (at, length) ->
              Rows.add(sum, memory, piece.place().offset() + type.bytes(at), type.bytes(length)));
    }
    return (int) sum.getValue();
  }

  private void make(
      Model.Wanted wanted, long version, Tensor tensor, MemorySegment to, MemorySegment scales) {
    long at = 0;
    long unit = 0;
    for (Model.Held part : wanted.parts()) {
      Tensor source = part.tensor();
      long elements = source.shape().elements();
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment values = arena.allocate(source.bytes());
        weights.read(part, Box.whole(source.shape()), version, values);
        long block = descriptions.block(wanted);
        MemorySegment made = to.asSlice(tensor.type().bytes(at), tensor.type().bytes(elements));
        if (block > 0) {
          unit += quantize(source, values, block, tensor.type(), made, scales, unit);
        } else if (source.type() == tensor.type()) {
          MemorySegment.copy(values, 0, made, 0, made.byteSize());
        } else {
          for (long i = 0; i < elements; i++) {
            Plain.put(made, tensor.type(), i, Plain.get(values, source.type(), i));
          }
        }
      }
      at += elements;
    }
  }

  /** Returns how many scales it has put. */
  private static long quantize(
      Tensor source,
      MemorySegment values,
      long block,
      DataType type,
      MemorySegment to,
      MemorySegment scales,
      long firstUnit) {
    long rows = source.shape().size(0);
    long columns = source.shape().size(1);
    long unit = firstUnit;
    for (long row = 0; row < rows; row += block) {
      for (long column = 0; column < columns; column += block) {
        long rowEnd = Math.min(rows, row + block);
        long columnEnd = Math.min(columns, column + block);
        float largest = 0;
        for (long r = row; r < rowEnd; r++) {
          for (long c = column; c < columnEnd; c++) {
            largest =
                Math.max(largest, Math.abs(Plain.get(values, source.type(), r * columns + c)));
          }
        }
        float scale = Plain.scale(largest, type);
        Plain.put(scales, DataType.FP32, unit++, scale);
        for (long r = row; r < rowEnd; r++) {
          for (long c = column; c < columnEnd; c++) {
            long i = r * columns + c;
            Plain.put(to, type, i, Plain.get(values, source.type(), i) / scale);
          }
        }
      }
    }
    return unit - firstUnit;
  }
}
