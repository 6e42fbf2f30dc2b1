package io.reactivetransfer.simulation;

import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.tck.ForwardingDomain;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/** NICs that mistake the rows of a write. */
final class RowSaboteurs {

  private RowSaboteurs() {}

  /** Rows come to the target one right behind the other. */
  static Domain withoutGaps(Domain inner) {
    return new ForwardingDomain(inner) {
      @Override
      public PostResult post(Operation op) {
        return inner.post(
            op.rows() == 1 || op.isGathered()
                ? op
                : op.copy().inRows(op.rows(), op.localStride(), op.rowLength()));
      }
    };
  }

  /** Rows that are listed are taken for those behind the first one. */
  static Domain evenly(Domain inner) {
    return new ForwardingDomain(inner) {
      @Override
      public PostResult post(Operation op) {
        if (!op.isGathered()) {
          return inner.post(op);
        }
        Operation even =
            op.copy()
                .range(op.localOffset(0), op.remoteOffset(), op.length())
                .inRows(op.rows(), op.localStride(), op.remoteStride());
        return postOr(inner, even, op);
      }
    };
  }

  /** Rows that are listed come in the order in which they lie. */
  static Domain sorted(Domain inner) {
    return listing(
        inner,
        list -> {
          int[] sorted = list.clone();
          Arrays.sort(sorted);
          return sorted;
        });
  }

  /** Rows that are listed are gathered by the list of the write before, if that is as long. */
  static Domain before(Domain inner) {
    return listing(
        inner,
        new UnaryOperator<>() {
          private int[] before = {};

          @Override
          public int[] apply(int[] list) {
            int[] now = before.length < list.length ? list : before;
            before = list;
            return now;
          }
        });
  }

  private static Domain listing(Domain inner, UnaryOperator<int[]> change) {
    return new ForwardingDomain(inner) {
      @Override
      public PostResult post(Operation op) {
        if (!op.isGathered()) {
          return inner.post(op);
        }
        int[] list = new int[op.rows()];
        for (int row = 0; row < list.length; row++) {
          list[row] = (int) ((op.localOffset(row) - op.localOffset()) / op.localStride());
        }
        Operation changed = op.copy();
        changed.gathering(change.apply(list), 0, op.rows(), op.localStride(), op.remoteStride());
        return postOr(inner, changed, op);
      }
    };
  }

  /** What was meant, if the other one is not within the bounds. */
  private static PostResult postOr(Domain inner, Operation changed, Operation meant) {
    try {
      return inner.post(changed);
    } catch (IndexOutOfBoundsException e) {
      return inner.post(meant);
    }
  }
}
