package io.reactivetransfer.weights;

import java.util.ArrayList;
import java.util.List;

/**
 * Several tensors one behind the other in one flat array, which is cut into shares of equal length
 * wherever the bounds fall; the last one is padded. A share holds the end of one tensor, some whole
 * ones, and the beginning of another.
 */
public final class FlatShards {

  private final List<Tensor> tensors;
  private final int shards;
  private final long share;

  /**
   * Cuts tensors.
   *
   * @param tensors of one type, in their order in the array
   * @param shards how many shares, at least 1
   * @param multiple the length of a share is a multiple of so many elements
   * @throws IllegalArgumentException if they are of different types, or none
   */
  public FlatShards(List<Tensor> tensors, int shards, long multiple) {
    this.tensors = List.copyOf(tensors);
    this.shards = shards;
    if (this.tensors.stream().map(Tensor::type).distinct().count() != 1) {
      throw new IllegalArgumentException(
          "expected tensors of one type in a flat array, got " + tensors);
    }
    if (shards < 1 || multiple < 1) {
      throw new IllegalArgumentException(
          "expected 1 or more shares of a multiple of 1 or more elements, got "
              + shards
              + " and "
              + multiple);
    }
    this.share = share(this.tensors, shards, multiple);
  }

  private static long share(List<Tensor> tensors, int shards, long multiple) {
    try {
      long elements =
          tensors.stream().mapToLong(tensor -> tensor.shape().elements()).reduce(0, Math::addExact);
      long units = Math.ceilDiv(Math.ceilDiv(elements, shards), multiple);
      long share = Math.multiplyExact(units, multiple);
      long all = Math.multiplyExact(share, shards);
      Math.multiplyExact(all, tensors.getFirst().type().bits());
      return share;
    } catch (ArithmeticException tooLong) {
      throw new IllegalArgumentException(
          "expected shares of less than 2^63 bits together, got "
              + shards
              + " of a multiple of "
              + multiple
              + " elements",
          tooLong);
    }
  }

  /** Elements of a share, its padding included. */
  public long elements() {
    return share;
  }

  /** Bytes of a share, its padding included. */
  public long bytes() {
    return tensors.getFirst().type().bytes(share);
  }

  /**
   * What one share holds; tensors that it has nothing of are left out.
   *
   * @param shard which one
   * @param group that of the tensors
   * @param region index of the region of the rank that the share lies in
   * @param offset bytes in front of the share
   */
  public List<SourceShare> of(int shard, String group, int region, long offset) {
    if (shard < 0 || shard >= shards) {
      throw new IllegalArgumentException(
          "expected a share of 0 to " + (shards - 1) + ", got " + shard);
    }
    long first = shard * share;
    long last = first + share;
    List<SourceShare> found = new ArrayList<>();
    long next = 0;
    for (Tensor tensor : tensors) {
      long elements = tensor.shape().elements();
      long from = Math.max(first, next) - next;
      long end = Math.min(last, next + elements) - next;
      if (from < end) {
        LocalPart part = LocalPart.flat(tensor, Box.whole(tensor.shape()), from, end, end - from);
        long at = offset + tensor.type().bytes(next + from - first);
        found.add(new SourceShare(tensor, group, part.pieces(region, at)));
      }
      next += elements;
    }
    return found;
  }
}
