package io.reactivetransfer.weights.codec;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Writes fields one behind the other; the counterpart of {@link FormReader}. */
final class FormWriter {

  /** Where a type stands here is its number: so it stays. */
  static final List<DataType> TYPES =
      List.of(
          DataType.FP32,
          DataType.BF16,
          DataType.FP16,
          DataType.FP8_E4M3,
          DataType.FP8_E5M2,
          DataType.INT8,
          DataType.INT4);

  private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

  private byte[] bytes = new byte[256];
  private int used;

  /** Begins with the version and what it is. */
  FormWriter(int kind) {
    u8(WeightsCodec.VERSION).u8(kind);
  }

  FormWriter u8(int value) {
    room(1);
    bytes[used++] = (byte) value;
    return this;
  }

  FormWriter flag(boolean value) {
    return u8(value ? 1 : 0);
  }

  /** A number of 0 or more: seven bits in each byte, the lowest first. */
  FormWriter number(long value) {
    room(9);
    long rest = value;
    while (rest > 0x7f) {
      bytes[used++] = (byte) ((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    bytes[used++] = (byte) rest;
    return this;
  }

  FormWriter numbers(long[] values) {
    for (long value : values) {
      number(value);
    }
    return this;
  }

  FormWriter type(DataType type) {
    return u8(TYPES.indexOf(type));
  }

  /** A name that was checked. */
  FormWriter name(String name) {
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    u8(utf8.length);
    room(utf8.length);
    System.arraycopy(utf8, 0, bytes, used, utf8.length);
    used += utf8.length;
    return this;
  }

  FormWriter shape(Shape shape) {
    return u8(shape.dimensions()).numbers(shape.sizes());
  }

  FormWriter tensor(Tensor tensor) {
    return name(tensor.name()).type(tensor.type()).shape(tensor.shape());
  }

  /** Whose dimensions are known. */
  FormWriter box(Box box) {
    return numbers(box.starts()).numbers(box.sizes());
  }

  /** Whose dimensions are known. */
  FormWriter place(Place place) {
    return number(place.region()).number(place.offset()).numbers(place.strides());
  }

  /** All of it, with its checksum. */
  ByteBuffer sealed() {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, used);
    room(Integer.BYTES);
    return ByteBuffer.wrap(bytes, 0, used + Integer.BYTES)
        .putInt(used, (int) checksum.getValue())
        .asReadOnlyBuffer();
  }

  private void room(int more) {
    if (used > bytes.length - more) {
      if (used > MAX_BYTES - more) {
        throw new IllegalArgumentException("expected at most 2^31 bytes, got more");
      }
      int larger = (int) Math.min(MAX_BYTES, Math.max(used + more, bytes.length * 2L));
      bytes = Arrays.copyOf(bytes, larger);
    }
  }
}
