package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.moe.ExpertBatch;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What experts compute: each multiplies what the token means by a number of its own. */
final class Experts {

  /** What the codes of FP8 (E4M3) mean. */
  private static final float[] VALUES = new float[256];

  static {
    for (int code = 0; code < VALUES.length; code++) {
      int exponent = code >> 3 & 15;
      float mantissa = (code & 7) / 8f;
      float value =
          exponent == 0 ? Math.scalb(mantissa, -6) : Math.scalb(1 + mantissa, exponent - 7);
      VALUES[code] = (code & 128) == 0 ? value : -value;
    }
  }

  private Experts() {}

  /** Computes all results of a batch. There are no kernels: those of a GPU are made by the host. */
  static void compute(Plan plan, ExpertBatch batch) {
    if (plan.device().equals(Device.HOST)) {
      computeInHost(plan, batch);
    } else if (batch.tokenMemory() instanceof DeviceMemory tokens
        && batch.resultMemory() instanceof DeviceMemory results) {
      DeviceAccess access = Devices.find().access(tokens.device());
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment in = arena.allocate(tokens.length());
        MemorySegment out = arena.allocate(results.length());
        access.copyToHost(tokens, 0, in, 0, in.byteSize());
        compute(plan, batch, in, out);
        access.copyFromHost(out, 0, results, 0, out.byteSize());
      }
    }
  }

  /** Each token where it lies, whether that is in place or not. */
  private static void computeInHost(Plan plan, ExpertBatch batch) {
    MemorySegment memory = batch.memory();
    for (int i = 0; i < batch.experts(); i++) {
      for (int row = 0; row < batch.count(i); row++) {
        long from = batch.tokenAt(i, row);
        compute(plan, batch.expert(i), memory, from, memory, batch.resultAt(i, row));
      }
    }
  }

  private static void compute(
      Plan plan, ExpertBatch batch, MemorySegment tokens, MemorySegment results) {
    for (int i = 0; i < batch.experts(); i++) {
      for (int row = batch.firstRow(i); row < batch.firstRow(i) + batch.count(i); row++) {
        compute(
            plan,
            batch.expert(i),
            tokens,
            row * batch.tokenStride(),
            results,
            row * batch.resultStride());
      }
    }
  }

  private static void compute(
      Plan plan, int expert, MemorySegment tokens, long from, MemorySegment results, long to) {
    for (int i = 0; i < plan.hidden(); i++) {
      results.set(
          ValueLayout.JAVA_SHORT_UNALIGNED, to + 2L * i, result(plan, expert, tokens, from, i));
    }
  }

  /** One number of what an expert makes of a token, in BF16. */
  static short result(Plan plan, int expert, MemorySegment tokens, long at, int i) {
    int code = Byte.toUnsignedInt(tokens.get(ValueLayout.JAVA_BYTE, at + i));
    long scaleAt = at + plan.hidden() + (long) Float.BYTES * (i / Plan.SCALED);
    float scale = tokens.get(ValueLayout.JAVA_FLOAT_UNALIGNED, scaleAt);
    return toBf16(VALUES[code] * scale * (1 + expert / 64f));
  }

  /** To the nearest, of two as near to the even one; of a number that is finite. */
  static short toBf16(float value) {
    int bits = Float.floatToRawIntBits(value);
    int upper = bits >>> 16;
    int lower = bits & 0xffff;
    boolean isUp = lower > 0x8000 || (lower == 0x8000 && (upper & 1) == 1);
    return (short) (isUp ? upper + 1 : upper);
  }

  /** What it stands for. */
  static float ofBf16(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }
}
