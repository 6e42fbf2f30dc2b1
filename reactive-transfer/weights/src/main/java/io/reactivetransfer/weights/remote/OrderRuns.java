package io.reactivetransfer.weights.remote;

import io.reactivetransfer.TraceContext;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.version.WriteOrder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** What orders of controllers are done by. */
interface OrderRuns {

  /** Its name in the table. */
  String name();

  /** Each subscription is a run, and tells the checksums. */
  Flux<RunProgress> write(WriteOrder order, ChecksumScope scope);

  /** The same for an order that a message has brought, as a part of the trace of its sender. */
  default Flux<RunProgress> writeFromElsewhere(WriteOrder order, ChecksumScope scope) {
    Flux<RunProgress> run = write(order, scope);
    TraceContext carried = order.traceContext();
    return carried.isEmpty() ? run : run.contextWrite(Context.of(TraceContext.class, carried));
  }

  /** Completes when no run touches memory; fails if that cannot be known. */
  Mono<Void> whenQuiet();

  /** Tells no checksums any more. */
  void close();
}
