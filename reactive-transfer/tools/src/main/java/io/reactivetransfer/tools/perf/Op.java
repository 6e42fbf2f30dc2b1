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
  /** The same, but each page consists of 8 rows, and lies between the rows of the others. */
  ROWS,
  /** Many parts in one transfer, each of them counted. */
  SCATTER,
  /** A small message. */
  SEND,
  /** A write that the target counts, and answers by one of its own; then the next one. */
  PING_PONG,
  /** A message that the target answers by one of its own; then the next one. */
  MESSAGE_PING_PONG,
  /** A write to each of {@code --peers} engines, that each of them counts; then the next ones. */
  FAN_OUT;

  /** Whether an operation consists of {@code --pages} parts of {@code --size} bytes. */
  boolean hasParts() {
    return this == PAGED || this == ROWS || this == SCATTER;
  }

  /** Whether one operation is in flight at a time. */
  boolean isOneByOne() {
    return isPingPong() || this == FAN_OUT;
  }

  /** Whether each operation is answered by one of the other side. */
  boolean isPingPong() {
    return this == PING_PONG || this == MESSAGE_PING_PONG;
  }

  /** Whether messages are what is measured: nothing is written to memory then. */
  boolean isOfMessages() {
    return this == SEND || this == MESSAGE_PING_PONG;
  }

  /** By how much an operation of so many parts raises a counter that nobody claims meanwhile. */
  long arrivals(int parts) {
    return switch (this) {
      case WRITE, SEND, PING_PONG, MESSAGE_PING_PONG -> 0;
      case FAN_OUT -> 1; // of each engine's counter
      case WRITE_IMM, PAGED, ROWS, SCATTER -> parts;
    };
  }

  /** As on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
