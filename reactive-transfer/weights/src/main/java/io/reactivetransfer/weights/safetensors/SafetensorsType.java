package io.reactivetransfer.weights.safetensors;

import io.reactivetransfer.weights.DataType;
import org.jspecify.annotations.Nullable;

/** The types of the format, by their names in it. */
enum SafetensorsType {
  F4(4, null),
  F6_E2M3(6, null),
  F6_E3M2(6, null),
  BOOL(8, null),
  U8(8, null),
  I8(8, DataType.INT8),
  F8_E5M2(8, DataType.FP8_E5M2),
  F8_E4M3(8, DataType.FP8_E4M3),
  F8_E8M0(8, null),
  F8_E5M2FNUZ(8, null),
  F8_E4M3FNUZ(8, null),
  I16(16, null),
  U16(16, null),
  F16(16, DataType.FP16),
  BF16(16, DataType.BF16),
  I32(32, null),
  U32(32, null),
  F32(32, DataType.FP32),
  C64(64, null),
  F64(64, null),
  I64(64, null),
  U64(64, null);

  /** Of an element; elements of fewer than 8 lie without gaps. */
  final int bits;

  final @Nullable DataType dataType;

  SafetensorsType(int bits, @Nullable DataType dataType) {
    this.bits = bits;
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
