package io.reactivetransfer.weights;

import java.util.ArrayList;
import java.util.List;

/**
 * A fused tensor whose parts are each cut by themselves, as tensor parallel ranks hold query, key
 * and value: each rank has its share of every part, these one behind the other in one array. Keys
 * and values of fewer heads than there are ranks are cut along fewer axes.
 */
public final class FusedParts {

  private final Tensor tensor;
  private final int dimension;
  private final List<Long> sizes = new ArrayList<>();
  private final List<Sharding> shardings = new ArrayList<>();

  /**
   * Begins without parts.
   *
   * @param tensor the fused one
   * @param dimension along which its parts follow each other
   */
  public FusedParts(Tensor tensor, int dimension) {
    if (dimension < 0 || dimension >= tensor.shape().dimensions()) {
      throw new IllegalArgumentException(
          "expected a dimension of tensor " + tensor + ", got " + dimension);
    }
    this.tensor = tensor;
    this.dimension = dimension;
  }

  /**
   * The next part.
   *
   * @param size its elements along the dimension
   * @param sharding how it is cut; not flat
   */
  public FusedParts part(long size, Sharding sharding) {
    sizes.add(size);
    shardings.add(sharding);
    return this;
  }

  /**
   * What a rank holds, if its array begins there; a part that it holds nothing of takes no room.
   *
   * @param rank in the meshes of the parts
   * @param region index of a region of the rank
   * @param offset bytes in front of the array
   * @throws IllegalArgumentException if the parts are not the whole tensor, or the rank's shares
   *     differ in another dimension
   */
  public List<Piece> pieces(int rank, int region, long offset) {
    if (sizes.stream().mapToLong(Long::longValue).sum() != tensor.shape().size(dimension)) {
      throw new IllegalArgumentException(
          "expected parts of "
              + tensor.shape().size(dimension)
              + " along dimension "
              + dimension
              + " of tensor "
              + tensor.name()
              + ", got "
              + sizes);
    }
    List<Box> boxes = new ArrayList<>();
    long before = 0;
    for (int i = 0; i < sizes.size(); i++) {
      LocalPart local = shardings.get(i).of(part(sizes.get(i)), rank);
      Box box = local.box();
      if (box != null) {
        long from = before + box.start(dimension);
        boxes.add(box.with(dimension, from, from + box.size(dimension)));
      } else if (!local.isEmpty()) {
        throw new IllegalArgumentException(
            "expected parts of tensor " + tensor.name() + " that are not cut as flat arrays");
      }
      before += sizes.get(i);
    }
    return placed(boxes, region, offset);
  }

  private Tensor part(long size) {
    long[] shape = tensor.shape().sizes();
    shape[dimension] = size;
    return new Tensor(tensor.name(), tensor.type(), Shape.of(shape));
  }

  private List<Piece> placed(List<Box> boxes, int region, long offset) {
    if (boxes.isEmpty()) {
      return List.of();
    }
    long[] array = boxes.getFirst().sizes();
    array[dimension] = boxes.stream().mapToLong(box -> box.size(dimension)).sum();
    long[] strides = Shape.of(array).denseStrides();
    List<Piece> pieces = new ArrayList<>();
    long elements = 0;
    for (Box box : boxes) {
      for (int i = 0; i < array.length; i++) {
        if (i != dimension && box.size(i) != array[i]) {
          throw new IllegalArgumentException(
              "expected parts of tensor "
                  + tensor.name()
                  + " that are cut alike but for dimension "
                  + dimension
                  + ", got "
                  + boxes);
        }
      }
      long at = offset + tensor.type().bytes(elements * strides[dimension]);
      pieces.add(new Piece(box, Place.of(region, at, strides)));
      elements += box.size(dimension);
    }
    return pieces;
  }
}
