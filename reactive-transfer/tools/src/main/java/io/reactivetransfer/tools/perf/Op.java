package io.reactivetransfer.tools.perf;

import java.util.Locale;

/** What one operation is. */
enum Op {
  /** A write that the target is not told of. */
  WRITE,
  /** A write that the target counts. */
  WRITE_IMM,
  /** Many pages in one transfer, each of them counted. */
  PAGED,
  /** Many parts in one transfer, each of them counted. */
  SCATTER,
  /** A small message. */
  SEND,
  /** A write that the target counts, and answers by one of its own; then the next one. */
  PING_PONG;

  /** Whether an operation consists of {@code --pages} parts of {@code --size} bytes. */
  boolean hasParts() {
    return this == PAGED || this == SCATTER;
  }

  /** By how much an operation of so many parts raises a counter that nobody claims meanwhile. */
  long arrivals(int parts) {
    return this == WRITE || this == SEND || this == PING_PONG ? 0 : parts;
  }

  /** As on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
