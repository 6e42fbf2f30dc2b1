package io.reactivetransfer.weights.version;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.weights.internal.Failure;
import io.reactivetransfer.weights.internal.Listener;
import io.reactivetransfer.weights.internal.Ticking;
import io.reactivetransfer.weights.internal.Turns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;

/** One update or recovery, with all that is to end with it. Only in turns. */
final class ControllerRun {

  final Map<String, Peer> ranks;
  private final Turns turns;
  private final ControllerMachine machine;
  private final Scheduler timers;
  private final Duration deadline;
  private final long version;
  private final List<WeightsTrainer> trainers;

  /** Of whoever has subscribed. */
  final Context context;

  /** Null if nobody is told of it. */
  private @Nullable RecordedDecision recorded;

  private final Disposable.Composite waits = Disposables.composite();
  private final Disposable.Composite writing = Disposables.composite();
  private final Sinks.One<UpdateResult> result = Sinks.one();
  private @Nullable UpdateResult ended;

  /** Those that write. */
  private final List<WeightsTrainer> trainersLeft = new ArrayList<>();

  /**
   * Since the deadline began; it is counted in them, so that whoever drives the timers rules it.
   */
  private long ticks;

  private long ticksOfDeadline = 1;
  private volatile boolean isEmitted;

  /** Whether whoever has subscribed has cancelled it. */
  boolean isCancelled;

  ControllerRun(
      Turns turns,
      ControllerMachine machine,
      Scheduler timers,
      Map<String, Peer> ranks,
      Duration deadline,
      long version,
      List<WeightsTrainer> trainers,
      Context context) {
    this.turns = turns;
    this.machine = machine;
    this.timers = timers;
    this.ranks = ranks;
    this.deadline = deadline;
    this.version = version;
    this.trainers = trainers;
    this.context = context;
  }

  /** Somebody is told of it, from its beginning on. */
  void record(RecordedDecision told) {
    recorded = told;
  }

  TraceContext traceContext() {
    return recorded == null ? TraceContext.NONE : recorded.traceContext;
  }

  Mono<UpdateResult> result() {
    return result.asMono();
  }

  void fail(Throwable why) {
    isEmitted = true;
    result.tryEmitError(why);
  }

  /**
   * Looks for what may go wrong.
   *
   * @throws RejectedExecutionException if the timers take no tasks; then this has not begun
   */
  void watch(Duration repeat) {
    Duration time = repeat.compareTo(deadline) < 0 ? repeat : deadline;
    ticksOfDeadline = Ticking.ticks(deadline, time);
    Ticking.every(
        time,
        timers,
        () -> {
          turns.run(this::tick);
          return !isEmitted;
        },
        why -> turns.run(() -> refused(why)));
    // That it was lost once, and was not asked since, says nothing of now: if it still cannot be
    // reached, what is sent to it fails.
    ranks.forEach((name, peer) ->
        waits.add(
            Listener.of(
                peer.state().skip(1).filter(state -> state.lossCause() != null),
                lost -> isLost(name, lost.lossCause()),
                () -> isLost(name, null),
                failure -> isLost(name, failure))));
  }

  /** The timers take no more tasks: nobody would end what runs, so it ends now. */
  private void refused(RejectedExecutionException why) {
    if (ended == null) {
      fail(why);
      machine.cancel("its controller has no timers any more");
      // If it is decided, or others are to be told, nobody waits for their answers any more.
      for (int i = 0; i < 2 && ended == null; i++) {
        machine.deadline();
      }
    }
    stopTrainers();
    emit();
  }

  private void tick() {
    ticks++;
    boolean isLate = ticks >= ticksOfDeadline;
    if (isLate) {
      ticks = 0;
    }
    if (ended == null) {
      if (isLate) {
        machine.deadline(trainersLeft.stream().map(ControllerRun::name).toList());
      } else {
        machine.tick();
      }
    } else if (isLate) {
      stopTrainers();
      emit();
    }
  }

  /** What an application throws instead of a name must not keep an update from its end. */
  static String name(WeightsTrainer trainer) {
    try {
      return String.valueOf(trainer.name());
    } catch (Throwable thrown) {
      return "a trainer";
    }
  }

  /** Who throws instead of an answer says no sums for which a rank could wait. */
  static boolean saysSums(WeightsTrainer trainer) {
    try {
      return trainer.saysChecksums();
    } catch (Throwable thrown) {
      return false;
    }
  }

  /** What is to happen if a message of this run to a rank finds that it cannot be reached. */
  Consumer<Throwable> unreachable(String rank) {
    return why -> isLost(rank, why);
  }

  private void isLost(String rank, @Nullable Throwable why) {
    now(() -> machine.lost(rank, why == null ? "" : Failure.textOf(why)));
  }

  /** An event of this run, unless it is over. */
  private void now(Runnable event) {
    turns.run(() -> {
      if (ended == null) {
        event.run();
      }
    });
  }

  void startTrainers(UpdateNumber update, List<RankTarget> targets) {
    WriteOrder order = new WriteOrder(update, version, targets, traceContext());
    Context seen = recorded == null ? context : recorded.context;
    trainersLeft.addAll(trainers);
    for (WeightsTrainer trainer : trainers) {
      // Whatever a trainer throws is its failure.
      writing.add(
          Listener.ofEnd(
              Flux.defer(() -> written(trainer, order)),
              seen,
              () -> turns.run(() -> trainerEnded(update, trainer, null)),
              failure -> turns.run(() -> trainerEnded(update, trainer, failure))));
    }
  }

  private static Publisher<?> written(WeightsTrainer trainer, WriteOrder order) {
    try {
      return trainer.write(order);
    } catch (Throwable thrown) {
      return Mono.error(thrown);
    }
  }

  private void trainerEnded(
      UpdateNumber update, WeightsTrainer trainer, @Nullable Throwable failure) {
    trainersLeft.remove(trainer);
    if (ended != null) {
      emit();
    } else if (failure != null) {
      machine.trainersFailed(update, "a trainer has failed: " + Failure.textOf(failure));
    }
  }

  void stopTrainers() {
    writing.dispose();
    trainersLeft.clear();
  }

  /** Emits when no trainer writes any more, or its time is over, too. */
  void done(UpdateResult what) {
    if (recorded != null) {
      recorded.ended(what);
    }
    ended = what;
    ticks = 0;
    waits.dispose();
    emit();
  }

  private void emit() {
    if (trainersLeft.isEmpty() && ended != null) {
      isEmitted = true;
      result.tryEmitValue(ended);
    }
  }
}
