package io.reactivetransfer.weights.safetensors;

import io.reactivetransfer.weights.DataType;
import org.jspecify.annotations.Nullable;

/** The types of the format, by their names in it. */
enum SafetensorsType {
  BOOL(1, null),
  U8(1, null),
  I8(1, DataType.INT8),
  F8_E5M2(1, DataType.FP8_E5M2),
  F8_E4M3(1, DataType.FP8_E4M3),
  I16(2, null),
  U16(2, null),
  F16(2, DataType.FP16),
  BF16(2, DataType.BF16),
  I32(4, null),
  U32(4, null),
  F32(4, DataType.FP32),
  F64(8, null),
  I64(8, null),
  U64(8, null);

  final int bytes;
  final @Nullable DataType dataType;

  SafetensorsType(int bytes, @Nullable DataType dataType) {
    this.bytes = bytes;
    this.dataType = dataType;
  }

  /** The one of this name, or null. */
  static @Nullable SafetensorsType named(String name) {
    for (SafetensorsType type : values()) {
      if (type.name().equals(name)) {
        return type;
      }
    }
    return null;
  }

  /** The one that weights of this type have in a file, or null. */
  static @Nullable SafetensorsType of(DataType dataType) {
    for (SafetensorsType type : values()) {
      if (type.dataType == dataType) {
        return type;
      }
    }
    return null;
  }
}
