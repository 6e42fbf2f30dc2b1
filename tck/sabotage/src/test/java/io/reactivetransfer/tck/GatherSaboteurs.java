package io.reactivetransfer.tck;

import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.IntStream;

/** NICs with one defect in how they gather rows. */
final class GatherSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.nic("17.36", "takes listed rows for evenly strided ones", TakesForEven::new)
              .entailing("1.7", "11.9"),
          Saboteur.nic("17.36", "leaves no gaps between gathered rows", LeavesNoGaps::new)
              .entailing("1.7", "11.9"),
          Saboteur.nic("17.36", "keeps the list of who posts", KeepsList::new),
          Saboteur.nic("17.36", "tells twice of gathered rows", TellsTwice::new)
              .entailing("1.7", "11.9"));

  private GatherSaboteurs() {}

  private static final class TakesForEven extends ForwardingDomain {
    TakesForEven(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      return inner.post(
          op.isGathered()
              ? op.copy()
                  .range(op.localOffset(0), op.remoteOffset(), op.length())
                  .inRows(op.rows(), op.localStride(), op.remoteStride())
              : op);
    }
  }

  private static final class LeavesNoGaps extends ForwardingDomain {
    LeavesNoGaps(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      if (!op.isGathered()) {
        return inner.post(op);
      }
      int[] list =
          IntStream.range(0, op.rows())
              .map(row -> (int) ((op.localOffset(row) - op.localOffset()) / op.localStride()))
              .toArray();
      return inner.post(op.copy().gathering(list, 0, op.rows(), op.localStride(), op.rowLength()));
    }
  }

  /** It looks at them in its next turn, and takes note at once of all else. */
  private static final class KeepsList extends ForwardingDomain {

    private record Kept(Operation given, Operation copy) {

      /** What it has of the list by now, unless that is of another operation. */
      Operation now() {
        return given.isGathered() && given.token() == copy.token() ? given.copy() : copy;
      }
    }

    private final OpenContext context;
    private final ArrayDeque<Kept> kept = new ArrayDeque<>();

    KeepsList(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public PostResult post(Operation op) {
      if (!op.isGathered()) {
        return inner.post(op);
      }
      kept.add(new Kept(op, op.copy()));
      context.doorbell().ring();
      return PostResult.TAKEN;
    }

    @Override
    public int poll(CompletionSink sink) {
      while (!kept.isEmpty() && inner.post(kept.element().now()).isTaken()) {
        kept.remove();
      }
      return inner.poll(sink);
    }
  }

  private static final class TellsTwice extends TrackingDomain {
    TellsTwice(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      PostResult posted = super.post(op);
      if (posted.isTaken() && op.isGathered() && op.hasImm()) {
        pass(op, true);
      }
      return posted;
    }
  }
}
