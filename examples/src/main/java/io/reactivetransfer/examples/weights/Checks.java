package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.check.ChecksumScope;
import java.util.Locale;

/** Of which bytes of an update trainers tell inference ranks checksums. */
enum Checks {
  NONE,
  SAMPLED,
  ALL;

  ChecksumScope scope() {
    return switch (this) {
      case NONE -> ChecksumScope.none();
      case SAMPLED -> ChecksumScope.sampled();
      case ALL -> ChecksumScope.all();
    };
  }

  /** As on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
