package io.reactivetransfer.weights.version;

import java.time.Duration;
import java.util.Objects;

/** Two recorders, the first of which may be such a pair itself. */
final class VersionRecorderChain implements VersionRecorder {

  private final VersionRecorder first;
  private final VersionRecorder next;

  private VersionRecorderChain(VersionRecorder first, VersionRecorder next) {
    this.first = first;
    this.next = next;
  }

  /** Of both, without those that do nothing, and with each that is in them once. */
  @SuppressWarnings("ReferenceEquality") // two recorders that are equal are two
  static VersionRecorder of(VersionRecorder first, VersionRecorder next) {
    Objects.requireNonNull(next, "next");
    if (next instanceof VersionRecorderChain chain) {
      return of(of(first, chain.first), chain.next);
    }
    if (next == NONE || tells(first, next)) {
      return first;
    }
    return first == NONE ? next : new VersionRecorderChain(first, next);
  }

  @SuppressWarnings("ReferenceEquality")
  private static boolean tells(VersionRecorder each, VersionRecorder sought) {
    return each == sought
        || (each instanceof VersionRecorderChain chain
            && (tells(chain.first, sought) || tells(chain.next, sought)));
  }

  @Override
  public void opened(WeightsRank rank) {
    try {
      first.opened(rank);
    } finally {
      next.opened(rank);
    }
  }

  @Override
  public void closed(WeightsRank rank) {
    try {
      first.closed(rank);
    } finally {
      next.closed(rank);
    }
  }

  @Override
  public void updateBegun(WeightsRank rank) {
    try {
      first.updateBegun(rank);
    } finally {
      next.updateBegun(rank);
    }
  }

  @Override
  public void updateEnded(WeightsRank rank, UpdateEnd end) {
    try {
      first.updateEnded(rank, end);
    } finally {
      next.updateEnded(rank, end);
    }
  }

  @Override
  public void opened(WeightsController controller) {
    try {
      first.opened(controller);
    } finally {
      next.opened(controller);
    }
  }

  @Override
  public void closed(WeightsController controller) {
    try {
      first.closed(controller);
    } finally {
      next.closed(controller);
    }
  }

  @Override
  public void decided(WeightsController controller, UpdateResult result, Duration duration) {
    try {
      first.decided(controller, result, duration);
    } finally {
      next.decided(controller, result, duration);
    }
  }
}
