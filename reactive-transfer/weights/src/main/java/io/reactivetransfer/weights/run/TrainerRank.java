package io.reactivetransfer.weights.run;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.internal.Opening;
import io.reactivetransfer.weights.plan.RoutingTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;

/**
 * One rank of a trainer, which writes its part of the weights to all inference ranks, again and
 * again, after its part of a table. Safe from any thread.
 *
 * <p>It owns its temporaries, and their registration; the memory that weights lie in, on both
 * sides, is the application's. What a run reads must not change until it has ended.
 */
public final class TrainerRank {

  private final Trainer trainer;
  private final @Nullable MemoryRegion temporaries;
  private final Mono<Void> closed;

  /** Those of the last update. */
  private @Nullable PreparedWrites prepared;

  private TrainerRank(Trainer trainer, @Nullable MemoryRegion temporaries) {
    this.trainer = trainer;
    this.temporaries = temporaries;
    this.closed = Mono.defer(this::closeNow).cache();
  }

  /**
   * Opens a rank: checks that it can do all of its steps, takes memory for temporaries, as much as
   * the steps need and no more than the watermark, and registers it. Cold: each subscription opens
   * one anew. Signals on the signal scheduler of the engine. Cancelling gives back what was taken.
   *
   * <p>Fails with an {@link IllegalArgumentException} that names the tensor if a step needs more
   * than the watermark, or cannot be done over this engine; if the memory is not that of the table,
   * is registered with another engine, or its registration is closed; if something is prepared of
   * memory of an accelerator that this process does not reach; or if the engines of the other ranks
   * are needed and not known, are not all different, or this rank's is named for another one. Fails
   * with an {@link IllegalStateException} if they are needed and the engine has such a rank
   * already.
   *
   * @param engine the engine that writes; a rank that needs others takes its message channel 19
   * @param table the table, or {@link RoutingTable#only} the part of this rank
   * @param rank index of the rank in {@link RoutingTable#sources()}
   * @param memory its regions, in the order of its description
   * @param options how it does it
   * @throws IllegalArgumentException if there is no such rank, or the table is the part of another
   */
  public static Mono<TrainerRank> open(
      TransferEngine engine,
      RoutingTable table,
      int rank,
      List<? extends SourceMemory> memory,
      RunOptions options) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(options, "options");
    table.requireStepsOf(rank);
    List<SourceMemory> regions = List.copyOf(memory);
    return Mono.defer(() -> {
      TrainerChecks.requireMemory(engine, table.sources().get(rank), regions);
      Trainer trainer = new Trainer(engine, table, rank, regions, options);
      TrainerChecks.requireOthers(trainer);
      return register(trainer);
    });
  }

  private static Mono<TrainerRank> register(Trainer trainer) {
    // The garbage collector frees it, when no region, NIC or task has it any more.
    Arena arena = Arena.ofAuto();
    Opening<TrainerRank> opening = new Opening<>(TrainerRank::close);
    if (trainer.temporaryBytes == 0) {
      return Mono.defer(() -> opened(trainer, null, opening))
          .doOnNext(rank -> opening.emitted())
          .doOnCancel(opening::cancel);
    }
    MemorySegment segment = arena.allocate(trainer.temporaryBytes, 64);
    trainer.place(segment);
    Access access = trainer.gathers > 0 ? Access.REMOTE_WRITE : Access.LOCAL;
    return trainer
        .engine
        .register(new HostMemory(segment), access)
        .flatMap(region -> {
          try {
            return opened(trainer, region, opening);
          } catch (RuntimeException | Error why) {
            return region.close().then(Mono.error(why));
          }
        })
        .doOnNext(rank -> opening.emitted())
        .doOnCancel(opening::cancel);
  }

  private static Mono<TrainerRank> opened(
      Trainer trainer, @Nullable MemoryRegion region, Opening<TrainerRank> opening) {
    if (trainer.needsOthers()) {
      trainer.gathering = GatherDesk.open(trainer, region);
    }
    TrainerRank rank = new TrainerRank(trainer, region);
    if (!opening.made(rank)) {
      return Mono.empty(); // nobody waits for it any more
    }
    trainer.opened(rank);
    return Mono.just(rank);
  }

  /** The engine that writes. */
  public TransferEngine engine() {
    return trainer.engine;
  }

  /** Its name in the table. */
  public String name() {
    return trainer.table.sources().get(trainer.rank).name();
  }

  /**
   * Writes the weights as they are now to all inference ranks.
   *
   * <p>Cold: each subscription is a run. There is one at a time; a second one fails with an {@link
   * IllegalStateException}, unless the one before was cancelled: then it begins when that one is
   * quiet. Elements say how far the run is, about a hundred times; of those that come faster than
   * they are asked for, the last. The last element of all says that all steps are done. Completes
   * when all writes are done at the engine's completion level. Signals on the engine's signal
   * scheduler; errors also on the scheduler of the options, or on the thread that cancels or
   * closes.
   *
   * <p>Fails with what ended it: what the engine says of a write, a {@link PrepareFailedException},
   * a {@link io.reactivetransfer.DeadlineExceededException}, or what another trainer said. Nothing
   * of it reads or writes memory then, neither here nor at an inference rank; what an inference
   * rank has of this update is undefined. Claims there fail with what the engine tells them. If
   * {@link #whenQuiet()} fails, others may still write to the temporaries, and this rank runs
   * nothing more: close it and open another one.
   *
   * <p>Where a message from elsewhere has begun it, its {@link io.reactivetransfer.TraceContext}
   * may be in the Context of the subscriber, under the key {@code TraceContext.class}; a {@link
   * RunRecorder} is told of it.
   *
   * <p>A cancel signals nothing; {@link #whenQuiet()} says when memory may be used again.
   *
   * <p>Writes are made once: as long as the same inference ranks are left out, no later update has
   * an allocation for a write, whichever regions and immediates it has.
   *
   * @param update where it goes
   * @throws IllegalArgumentException if the targets are not those of the table
   */
  public Flux<RunProgress> write(UpdateTargets update) {
    return written(update, null);
  }

  /**
   * The same, with somebody who looks at what is written. What that throws ends the run with a
   * {@link PrepareFailedException}.
   *
   * @param update where it goes
   * @param reader looks at each step
   * @throws IllegalArgumentException if the targets are not those of the table
   */
  public Flux<RunProgress> write(UpdateTargets update, StepReader reader) {
    return written(update, Objects.requireNonNull(reader, "reader"));
  }

  private Flux<RunProgress> written(UpdateTargets update, @Nullable StepReader reader) {
    TrainerChecks.requireTargets(trainer.table, update);
    return Flux.create(
        sink -> {
          Disposable.Composite cancel = Disposables.composite();
          sink.onCancel(cancel);
          begin(update, reader, sink, cancel);
        },
        FluxSink.OverflowStrategy.LATEST);
  }

  private void begin(
      UpdateTargets update,
      @Nullable StepReader reader,
      FluxSink<RunProgress> sink,
      Disposable.Composite cancel) {
    Run run;
    Run other;
    try {
      trainer.requireOpen(); // else what is closed would be named as what is wrong
      run = new Run(trainer, update, () -> prepared(update.targets()), reader, sink);
      other = trainer.begin(run);
    } catch (RuntimeException why) {
      sink.error(why);
      return;
    }
    if (other == null) {
      cancel.add(run::cancel);
      run.begin();
    } else if (other.isCancelled()) {
      cancel.add(
          other.quiet().subscribe(null, sink::error, () -> begin(update, reader, sink, cancel)));
    } else {
      sink.error(
          new IllegalStateException(
              "expected one run at a time of "
                  + trainer.name()
                  + ", got update "
                  + update.number()
                  + " while "
                  + other.number()
                  + " runs"));
    }
  }

  /** For a run whose turn it is: none of them is on its way, or comes to be on it. */
  private synchronized PreparedWrites prepared(List<TargetMemory> targets) {
    PreparedWrites writes = prepared;
    prepared = null; // until all of them go there
    if (writes == null || !writes.canGoTo(targets)) {
      writes = PreparedWrites.of(trainer.steps, targets, trainer.memory, temporaries);
    } else {
      writes.redirect(targets);
    }
    prepared = writes;
    return writes;
  }

  /**
   * Completes when no run of this rank touches memory; at once if there is none. Each subscription
   * waits for itself, and cancelling ends the waiting only. Fails if it cannot be known, as {@link
   * MemoryRegion#revoke()} says.
   */
  public Mono<Void> whenQuiet() {
    return Mono.defer(trainer::whenQuiet);
  }

  /**
   * Ends a run with a {@link CancellationException}, waits until it is quiet, and gives the
   * temporaries up. Closing again completes together with the first close. Cancelling drops the
   * signal.
   */
  public Mono<Void> close() {
    return closed;
  }

  private Mono<Void> closeNow() {
    Run run = trainer.close();
    if (run != null) {
      run.fail(new CancellationException(trainer.name() + " was closed"));
    }
    MemoryRegion region = temporaries;
    return whenQuiet()
        .onErrorComplete() // closing the region tries again
        .then(Mono.defer(trainer.gathering::close))
        .then(region == null ? Mono.<Void>empty() : Mono.defer(region::close))
        .doOnTerminate(() -> trainer.tell(RunRecorder::closed));
  }
}
