package io.reactivetransfer.tck;

import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.WriteOp;
import java.util.ArrayDeque;
import java.util.Queue;

/** A NIC that can put a write off for a while. */
class LateDomain extends TrackingDomain {

  private static final long DELAY_NANOS = 3_000_000;

  private record Late(WriteOp op, boolean hidden, long dueNanos) {}

  private final Queue<Late> late = new ArrayDeque<>();

  LateDomain(Domain inner, OpenContext context) {
    super(inner, context);
  }

  final void passLater(WriteOp op, boolean hidden) {
    late.add(new Late(copy(op), hidden, System.nanoTime() + DELAY_NANOS));
  }

  /** What is put off becomes due with time, which no descriptor shows. */
  @Override
  public int[] waitDescriptors() {
    return MUST_BE_POLLED;
  }

  @Override
  public int poll(CompletionSink sink) {
    Late first;
    while ((first = late.peek()) != null
        && first.dueNanos() - System.nanoTime() < 0
        && pass(first.op(), first.hidden())) {
      late.remove();
    }
    return super.poll(sink);
  }
}
