package io.reactivetransfer.moe;

import java.util.Objects;

/** Two recorders, the first of which may be such a pair itself. */
final class MoeRecorderChain implements MoeRecorder {

  private final MoeRecorder first;
  private final MoeRecorder next;
  private final Complaint complaint = new Complaint(() -> "a pair");

  private MoeRecorderChain(MoeRecorder first, MoeRecorder next) {
    this.first = first;
    this.next = next;
  }

  /** Of both, without those that do nothing, and with each that is in them once. */
  @SuppressWarnings("ReferenceEquality") // two recorders that are equal are two
  static MoeRecorder of(MoeRecorder first, MoeRecorder next) {
    Objects.requireNonNull(next, "next");
    if (next instanceof MoeRecorderChain chain) {
      return of(of(first, chain.first), chain.next);
    }
    if (next == NONE || tells(first, next)) {
      return first;
    }
    return first == NONE ? next : new MoeRecorderChain(first, next);
  }

  @SuppressWarnings("ReferenceEquality")
  private static boolean tells(MoeRecorder each, MoeRecorder sought) {
    return each == sought
        || (each instanceof MoeRecorderChain chain
            && (tells(chain.first, sought) || tells(chain.next, sought)));
  }

  @Override
  public void opened(MoeGroup group) {
    try {
      first.opened(group);
    } finally {
      next.opened(group);
    }
  }

  @Override
  public void closed(MoeGroup group) {
    try {
      first.closed(group);
    } finally {
      next.closed(group);
    }
  }

  @Override
  public void groupFailed(MoeGroup group, GroupFailedException reason) {
    try {
      first.groupFailed(group, reason);
    } finally {
      next.groupFailed(group, reason);
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the very object
  public StepRecorder stepBegun(StepBegin begin) {
    StepRecorder one = complaint.orElse(() -> first.stepBegun(begin), StepRecorder.NONE);
    StepRecorder other = complaint.orElse(() -> next.stepBegun(begin), StepRecorder.NONE);
    return one == StepRecorder.NONE
        ? other
        : other == StepRecorder.NONE ? one : new BothStepRecorders(one, other);
  }

  private record BothStepRecorders(StepRecorder first, StepRecorder next) implements StepRecorder {

    @Override
    public void ended(StepEnd end) {
      try {
        first.ended(end);
      } finally {
        next.ended(end);
      }
    }
  }
}
