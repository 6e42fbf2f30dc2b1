package io.reactivetransfer.weights.safetensors;

import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tensor of a file.
 *
 * @param name of the tensor
 * @param type as the format calls it, such as {@code BF16} or {@code I64}
 * @param sizes along each dimension, the outermost first; 0 is legal
 * @param begin its first byte, counted from the end of the header on
 * @param end the byte behind its last one
 */
public record SafetensorsEntry(String name, String type, List<Long> sizes, long begin, long end) {

  /** Keeps the list as it is. */
  public SafetensorsEntry {
    sizes = List.copyOf(sizes);
  }

  /** The type, if weights can be of it; else null, as for integers of more than 8 bits. */
  public @Nullable DataType dataType() {
    return SafetensorsType.valueOf(type).dataType;
  }

  /**
   * The tensor.
   *
   * @throws IllegalArgumentException if weights cannot be of its type or shape
   */
  public Tensor tensor() {
    DataType dataType = dataType();
    if (dataType == null) {
      throw new IllegalArgumentException(
          "expected tensor " + name + " of a type that weights have, got " + type);
    }
    long[] shape = sizes.stream().mapToLong(Long::longValue).toArray();
    return new Tensor(name, dataType, Shape.of(shape));
  }
}
