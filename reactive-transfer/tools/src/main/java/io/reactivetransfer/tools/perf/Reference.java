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
  IB_WRITE_BW,
  /** Ours with memory of the host, for that of a device: the ratio says what the device costs. */
  HOST;

  /** The one of this plan's backend and device, or null if there is none. */
  static @Nullable Reference of(Plan plan) {
    if (!plan.inHostMemory()) {
      return HOST;
    }
    return switch (plan.backend()) {
      case "tcp" -> NIO;
      case "loopback" -> MEMCPY;
      case "libfabric" -> C;
      case "ibverbs" -> IB_WRITE_BW;
      default -> null;
    };
  }

  /**
   * The plan's reference can be measured.
   *
   * @throws IllegalArgumentException if not
   */
  static void require(Plan plan) {
    Reference it = of(plan);
    String backend = plan.backend();
    if (it == null) {
      throw new IllegalArgumentException("expected a backend with a reference, got " + backend);
    }
    if (!it.has(plan.op())) {
      throw new IllegalArgumentException(
          "expected --reference of another --op, got "
              + plan.op()
              + ", which has none over "
              + backend);
    }
    if (it == IB_WRITE_BW && plan.nics() > 1) {
      throw new IllegalArgumentException(
          "expected --reference over " + backend + " with one NIC, got --nics " + plan.nics());
    }
    if (it != NIO && it != HOST && plan.place() == Plan.Place.TWO_HOSTS) {
      throw new IllegalArgumentException(
          "expected --reference between two hosts over tcp only, got --backend " + backend);
    }
    if (it == C && plan.provider() == null) {
      throw new IllegalArgumentException(
          "expected --provider with --reference over "
              + backend
              + ", so that both use the same one, got none");
    }
    if (it == C && plan.memory() > 0) {
      throw new IllegalArgumentException(
          "expected --memory without --reference over " + backend + ", which has no such option");
    }
  }

  /** Whether it can do what the operation does. */
  private boolean has(Op op) {
    return switch (this) {
      case NIO, HOST -> true;
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
