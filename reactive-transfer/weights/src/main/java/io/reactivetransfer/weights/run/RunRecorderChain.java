package io.reactivetransfer.weights.run;

import io.reactivetransfer.weights.internal.Complaint;
import java.util.Objects;

/** Two recorders, the first of which may be such a pair itself. */
final class RunRecorderChain implements RunRecorder {

  private final RunRecorder first;
  private final RunRecorder next;
  private final Complaint complaint = new Complaint();

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
  @SuppressWarnings("ReferenceEquality") // the very object
  public OneRunRecorder runBegun(RunBegin begin) {
    OneRunRecorder one = complaint.orElse(() -> first.runBegun(begin), OneRunRecorder.NONE);
    OneRunRecorder other = complaint.orElse(() -> next.runBegun(begin), OneRunRecorder.NONE);
    return one == OneRunRecorder.NONE
        ? other
        : other == OneRunRecorder.NONE ? one : new BothRunRecorders(one, other);
  }

  private record BothRunRecorders(OneRunRecorder first, OneRunRecorder next)
      implements OneRunRecorder {

    @Override
    public void ended(RunEnd end) {
      try {
        first.ended(end);
      } finally {
        next.ended(end);
      }
    }
  }
}
