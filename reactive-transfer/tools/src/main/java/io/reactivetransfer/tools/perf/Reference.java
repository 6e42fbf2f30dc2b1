package io.reactivetransfer.tools.perf;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a backend is compared with: the plainest program that moves bytes the same way. */
enum Reference {
  /** A blocking socket from one thread to another. */
  NIO,
  /** One thread that copies. */
  MEMCPY,
  /** A program in C, on the same library as ours. */
  C,
  /** The one that cards are measured with, from perftest. */
  IB_WRITE_BW;

  /** The one of this backend, or null if it has none. */
  static @Nullable Reference of(String backend) {
    return switch (backend) {
      case "tcp" -> NIO;
      case "loopback" -> MEMCPY;
      case "libfabric" -> C;
      case "ibverbs" -> IB_WRITE_BW;
      default -> null;
    };
  }

  /** Whether it can do what the operation does. */
  boolean has(Op op) {
    return switch (this) {
      case NIO -> true;
      case MEMCPY -> !op.isOneByOne();
      case C -> !op.isOfMessages() && op != Op.FAN_OUT;
      case IB_WRITE_BW -> op == Op.WRITE;
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
