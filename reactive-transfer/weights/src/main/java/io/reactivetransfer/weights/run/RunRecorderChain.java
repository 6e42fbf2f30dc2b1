package io.reactivetransfer.weights.run;

import java.util.Objects;

/** Two recorders, the first of which may be such a pair itself. */
final class RunRecorderChain implements RunRecorder {

  private final RunRecorder first;
  private final RunRecorder next;

  private RunRecorderChain(RunRecorder first, RunRecorder next) {
    this.first = first;
    this.next = next;
  }

  /** Of both, without those that do nothing, and with each that is in them once. */
  @SuppressWarnings("ReferenceEquality") // two recorders that are equal are two
  static RunRecorder of(RunRecorder first, RunRecorder next) {
    Objects.requireNonNull(next, "next");
    if (next instanceof RunRecorderChain chain) {
      return of(of(first, chain.first), chain.next);
    }
    if (next == NONE || tells(first, next)) {
      return first;
    }
    return first == NONE ? next : new RunRecorderChain(first, next);
  }

  @SuppressWarnings("ReferenceEquality")
  private static boolean tells(RunRecorder each, RunRecorder sought) {
    return each == sought
        || (each instanceof RunRecorderChain chain
            && (tells(chain.first, sought) || tells(chain.next, sought)));
  }

  @Override
  public void opened(TrainerRank rank) {
    try {
      first.opened(rank);
    } finally {
      next.opened(rank);
    }
  }

  @Override
  public void closed(TrainerRank rank) {
    try {
      first.closed(rank);
    } finally {
      next.closed(rank);
    }
  }

  @Override
  public void runBegun(TrainerRank rank) {
    try {
      first.runBegun(rank);
    } finally {
      next.runBegun(rank);
    }
  }

  @Override
  public void runEnded(TrainerRank rank, RunEnd end) {
    try {
      first.runEnded(rank, end);
    } finally {
      next.runEnded(rank, end);
    }
  }
}
