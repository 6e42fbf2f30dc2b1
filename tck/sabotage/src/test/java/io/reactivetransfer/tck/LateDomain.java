package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import java.util.ArrayDeque;
import java.util.Queue;

/** A NIC that can put a write off for a while, until its memory is released even. */
class LateDomain extends TrackingDomain {

  private static final long DELAY_NANOS = 3_000_000;

  private record Late(Operation op, EngineId owner, boolean hidden, long dueNanos) {}

  private final Queue<Late> late = new ArrayDeque<>();

  LateDomain(Domain inner, OpenContext context) {
    super(inner, context);
  }

  final void passLater(Operation op, boolean hidden) {
    late.add(new Late(op.copy(), ownerOf(op), hidden, System.nanoTime() + DELAY_NANOS));
  }

  /** What is put off becomes due with time, which no descriptor shows. */
  @Override
  public int[] waitDescriptors() {
    return MUST_BE_POLLED;
  }

  /** What was put off for a lost peer fails with what is out to it: it must not be lost again. */
  @Override
  void lost(EngineId peer, int code, String text, CompletionSink sink) {
    super.lost(peer, code, text, sink);
    late.removeIf(each -> {
      boolean gone = each.owner().equals(peer);
      if (gone && !each.hidden()) {
        sink.failed(each.op().token(), code, text);
      }
      return gone;
    });
  }

  @Override
  public int poll(CompletionSink sink) {
    Late first;
    while ((first = late.peek()) != null
        && first.dueNanos() - System.nanoTime() < 0
        && pass(first.op(), first.owner(), first.hidden()).isTaken()) {
      late.remove();
    }
    return super.poll(sink);
  }
}
