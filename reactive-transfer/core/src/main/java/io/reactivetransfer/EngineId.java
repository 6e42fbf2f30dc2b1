package io.reactivetransfer;

import java.util.HexFormat;

/**
 * Names one engine for its whole life: 128 random bits, drawn anew whenever an engine is built. A
 * process that is restarted at the same network address is therefore another engine, and nothing
 * that was addressed to the old one reaches the new one.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record EngineId(long high, long low) implements Comparable<EngineId> {

  /** Bytes of an encoded id. */
  public static final int BYTES = 16;

  @Override
  public int compareTo(EngineId other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  /** The id as 32 hexadecimal digits. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }

  /** The first eight digits: enough for a log line or an error text. */
  public String toShortString() {
    return toString().substring(0, 8);
  }
}
