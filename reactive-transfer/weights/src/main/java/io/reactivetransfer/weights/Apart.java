package io.reactivetransfer.weights;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Checks that the pieces of a target rank share no byte. Pieces whose extents meet may take turns,
 * as the rows of two fused tensors do: then their outermost strides are the same, and they are
 * looked at within one of these, level by level. It takes no longer than sorting, whatever the
 * numbers are, which may have come from others.
 */
final class Apart {

  private final String rank;
  private final List<List<Block>> regions = new ArrayList<>();

  /**
   * So many blocks at this distance; all in bytes.
   *
   * @param extent from the beginning of a block to its end
   */
  private record Level(long count, long stride, long extent) {}

  /**
   * What is left of a piece.
   *
   * @param levels from the outermost one on; none if there are no gaps
   */
  private record Block(String tensor, long start, long extent, List<Level> levels) {

    long end() {
      return start + extent;
    }

    boolean repeatsAt(long stride) {
      return !levels.isEmpty() && levels.getFirst().stride == stride;
    }

    /** Its first inner block, as seen from somewhere that comes again at this stride. */
    Block inner(long from) {
      Level outer = levels.getFirst();
      return new Block(
          tensor, (start - from) % outer.stride, outer.extent, levels.subList(1, levels.size()));
    }
  }

  Apart(String rank, List<TargetShare> tensors) {
    this.rank = rank;
    for (TargetShare share : tensors) {
      for (Piece piece : share.pieces()) {
        while (regions.size() <= piece.place().region()) {
          regions.add(new ArrayList<>());
        }
        regions.get(piece.place().region()).add(block(share.tensor(), piece));
      }
    }
  }

  /** Refuses pieces that overlap. */
  void require() {
    for (int region = 0; region < regions.size(); region++) {
      require(region, regions.get(region));
    }
  }

  private static Block block(Tensor tensor, Piece piece) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < piece.box().dimensions(); i++) {
      if (piece.box().size(i) > 1) {
        order.add(i);
      }
    }
    order.sort(Comparator.comparingLong(i -> piece.place().stride(i)));
    List<Level> levels = new ArrayList<>();
    int bits = tensor.type().bits();
    long extent = bits; // of what is inside, in bits
    for (int dimension : order) {
      long stride = piece.place().stride(dimension) * bits;
      long count = piece.box().size(dimension);
      if (stride != extent || !levels.isEmpty()) {
        levels.addFirst(new Level(count, stride / Byte.SIZE, extent / Byte.SIZE));
      }
      extent += (count - 1) * stride;
    }
    return new Block(
        tensor.name(), piece.place().offset(), Math.ceilDiv(extent, Byte.SIZE), levels);
  }

  private void require(int region, List<Block> blocks) {
    List<Block> sorted = new ArrayList<>(blocks);
    sorted.sort(Comparator.comparingLong(Block::start));
    int first = 0;
    while (first < sorted.size()) {
      long end = sorted.get(first).end();
      int next = first + 1;
      while (next < sorted.size() && sorted.get(next).start < end) {
        end = Math.max(end, sorted.get(next).end());
        next++;
      }
      if (next - first > 1) {
        requireTurns(region, sorted.subList(first, next));
      }
      first = next;
    }
  }

  /** These meet: they must take turns. */
  private void requireTurns(int region, List<Block> meeting) {
    Block first = meeting.getFirst();
    List<Block> inner = new ArrayList<>(meeting.size());
    for (int i = 0; i < meeting.size(); i++) {
      Block block = meeting.get(i);
      if (first.levels.isEmpty() || !block.repeatsAt(first.levels.getFirst().stride)) {
        throw overlap(region, first, meeting.get(Math.max(1, i)));
      }
      Block next = block.inner(first.start);
      if (next.end() > first.levels.getFirst().stride) {
        throw overlap(region, first, meeting.get(Math.max(1, i)));
      }
      inner.add(next);
    }
    require(region, inner);
  }

  private IllegalArgumentException overlap(int region, Block one, Block other) {
    return new IllegalArgumentException(
        "expected tensors of rank "
            + rank
            + " that lie apart, or take turns at equal strides, got "
            + one.tensor
            + " and "
            + other.tensor
            + ", which meet in region "
            + region);
  }
}
