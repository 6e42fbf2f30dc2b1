package io.reactivetransfer.weights.version;

import io.reactivetransfer.TraceContext;
import io.reactivetransfer.weights.internal.Complaint;
import java.util.Objects;
import reactor.util.context.Context;

/** Two recorders, the first of which may be such a pair itself. */
final class VersionRecorderChain implements VersionRecorder {

  private final VersionRecorder first;
  private final VersionRecorder next;
  private final Complaint complaint = new Complaint();

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
  @SuppressWarnings("ReferenceEquality") // the very object
  public UpdateRecorder updateBegun(UpdateBegin begin) {
    UpdateRecorder one = complaint.orElse(() -> first.updateBegun(begin), UpdateRecorder.NONE);
    UpdateRecorder other = complaint.orElse(() -> next.updateBegun(begin), UpdateRecorder.NONE);
    return one == UpdateRecorder.NONE
        ? other
        : other == UpdateRecorder.NONE ? one : new BothUpdateRecorders(one, other, complaint);
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
  @SuppressWarnings("ReferenceEquality") // the very object
  public ControllerRecorder updateBegun(ControllerBegin begin) {
    ControllerRecorder one =
        complaint.orElse(() -> first.updateBegun(begin), ControllerRecorder.NONE);
    ControllerRecorder other =
        complaint.orElse(() -> next.updateBegun(begin), ControllerRecorder.NONE);
    return one == ControllerRecorder.NONE
        ? other
        : other == ControllerRecorder.NONE
            ? one
            : new BothControllerRecorders(one, other, complaint);
  }

  /** What one of them throws takes nothing from the other one. */
  private record BothUpdateRecorders(UpdateRecorder first, UpdateRecorder next, Complaint complaint)
      implements UpdateRecorder {

    @Override
    public Context context(Context context) {
      // The first one last, so that where both write the same, its counts.
      Context more = complaint.orElse(() -> next.context(context), context);
      return complaint.orElse(() -> first.context(more), more);
    }

    @Override
    public void ended(UpdateEnd end) {
      try {
        first.ended(end);
      } finally {
        next.ended(end);
      }
    }
  }

  private record BothControllerRecorders(
      ControllerRecorder first, ControllerRecorder next, Complaint complaint)
      implements ControllerRecorder {

    /** Both are asked, since each counts on it; what the first one carries counts. */
    @Override
    public TraceContext traceContext() {
      TraceContext one = complaint.orElse(first::traceContext, TraceContext.NONE);
      TraceContext other = complaint.orElse(next::traceContext, TraceContext.NONE);
      return one.isEmpty() ? other : one;
    }

    @Override
    public Context context(Context context) {
      // The first one last, so that where both write the same, its counts.
      Context more = complaint.orElse(() -> next.context(context), context);
      return complaint.orElse(() -> first.context(more), more);
    }

    @Override
    public void ended(ControllerEnd end) {
      try {
        first.ended(end);
      } finally {
        next.ended(end);
      }
    }
  }
}
