package io.reactivetransfer.weights.remote;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.check.TrainerSums;
import io.reactivetransfer.weights.internal.Listener;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.run.UpdateTargets;
import io.reactivetransfer.weights.version.WriteOrder;
import java.util.Objects;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.Logger;
import reactor.util.Loggers;

/** Has a rank of the trainer do what an order says, and tell the checksums. */
final class OrderWriter implements OrderRuns {

  private static final Logger LOG = Loggers.getLogger(OrderWriter.class);

  private final TransferEngine engine;
  private final TrainerRank trainer;
  private final RoutingTable table;
  private final TrainerSums sums;

  /** What is said of the last run, as long as inference ranks do not hear it. */
  private final Disposable.Swap saying = Disposables.swap();

  OrderWriter(TransferEngine engine, TrainerRank trainer, RoutingTable table) {
    this.engine = Objects.requireNonNull(engine, "engine");
    this.trainer = Objects.requireNonNull(trainer, "trainer");
    this.table = Objects.requireNonNull(table, "table");
    this.sums = TrainerSums.of(engine, trainer, table);
  }

  @Override
  public String name() {
    return trainer.name();
  }

  @Override
  public Flux<RunProgress> write(WriteOrder order, ChecksumScope scope) {
    return Flux.defer(() -> {
      UpdateTargets targets = OrderTargets.of(engine, table, order);
      TrainerSums.OfRun ofRun = sums.begin(order.update(), targets, scope);
      // A rank that misses its sums says so; one that does not look for any reads none.
      Disposable said =
          Listener.ofEnd(
              ofRun.said(),
              () -> {},
              why -> LOG.warn("sums of update {} were not said", order.update(), why));
      saying.update(said);
      return trainer.write(targets, ofRun.reader()).doOnCancel(said::dispose);
    });
  }

  @Override
  public Mono<Void> whenQuiet() {
    return trainer.whenQuiet();
  }

  @Override
  public void close() {
    saying.dispose();
  }
}
