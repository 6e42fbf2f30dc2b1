package io.reactivetransfer.weights.remote;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.internal.End;
import io.reactivetransfer.weights.internal.Failure;
import io.reactivetransfer.weights.internal.Inbox;
import io.reactivetransfer.weights.internal.Listener;
import io.reactivetransfer.weights.internal.Postman;
import io.reactivetransfer.weights.internal.Turns;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WriteOrder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * In the process of a rank of the trainer, or of an inference rank that fills others: does what
 * orders of a controller say, which {@link RemoteTrainers} send. One for each engine: it reads
 * message channel 22, and answers on 23. Safe from any thread, never blocks.
 *
 * <p>It runs one update at a time. An order that comes twice begins nothing twice; one whose stop
 * came before it does not begin. Of two updates that are both to be run, the one with the greater
 * number is: that is the later one, of the later controller. Whoever may send messages to this
 * engine may be a controller, as for inference ranks; only who has begun a run may stop it. A run
 * whose controller is lost is stopped.
 */
public final class TrainerService {

  /** What controllers say. */
  static final MessageChannel ORDERS = new MessageChannel(22);

  /** What trainers say. */
  static final MessageChannel ANSWERS = new MessageChannel(23);

  /** How often a run says how far it is. */
  private static final Duration REPEAT = Duration.ofMillis(250);

  /**
   * How often those who listen here are told: each time wakes a thread, on a core that writes may
   * need.
   */
  private static final Duration SHOWN_EVERY = Duration.ofMillis(50);

  /** Updates of one controller whose end is remembered. */
  private static final int MAX_ENDED = 256;

  /** Controllers of whose updates that is. */
  private static final int MAX_CONTROLLERS = 16;

  private static final String LOST = "its controller is lost";
  private static final String CLOSED = "its service was closed";

  /** Whose update: another controller's is another one, whatever its number. */
  private record Key(EngineId controller, UpdateNumber update) {}

  private final class Run {
    final Key key;
    final Peer controller;
    long saidNanos = timers.now(TimeUnit.NANOSECONDS);
    long shownNanos = saidNanos;
    @Nullable RunProgress last;
    @Nullable Disposable writing;
    @Nullable Disposable watching;

    Run(Key key, Peer controller) {
      this.key = key;
      this.controller = controller;
    }

    void end() {
      if (writing != null) {
        writing.dispose();
      }
      if (watching != null) {
        watching.dispose();
      }
    }
  }

  private final OrderRuns runs;
  private final Scheduler timers;
  private final Turns turns = new Turns();
  private final Postman postman;
  private final Sinks.Many<RunProgress> progress = Sinks.many().replay().latest();
  private final AtomicBoolean isClosing = new AtomicBoolean();
  private final End closed = new End();
  private @Nullable Inbox<RemoteMessage.Order> inbox;

  // Only in turns.
  private @Nullable Run run;
  private boolean isClosed;

  /** For each controller by itself, so that none can have the updates of another one forgotten. */
  private final SequencedMap<EngineId, SequencedMap<UpdateNumber, RemoteMessage.Answer>> ended =
      new LinkedHashMap<>(MAX_CONTROLLERS, 0.75f, true);

  /** Of what does the orders; it does not listen yet. */
  TrainerService(TransferEngine engine, OrderRuns runs, Scheduler timers) {
    this.runs = runs;
    this.timers = timers;
    this.postman = new Postman(engine, ANSWERS, turns, true);
  }

  TrainerService listening(TransferEngine engine) {
    Inbox<RemoteMessage.Order> opened =
        Inbox.open(engine, ORDERS, RemoteCodec::decodeOrder, new Receiving());
    opened.requireOpen("TrainerService");
    turns.run(() -> inbox = opened);
    return this;
  }

  /**
   * Opens it.
   *
   * @param engine the engine of the trainer
   * @param trainer what writes; stays the caller's, who closes it after this
   * @param table whose inference ranks orders name, and no others; those that an order does not
   *     name get nothing. The one that the trainer was opened with, or all of it
   * @throws IllegalStateException if the engine is closed, or has one already
   */
  public static TrainerService open(
      TransferEngine engine, TrainerRank trainer, RoutingTable table) {
    return open(engine, trainer, table, Schedulers.parallel());
  }

  /**
   * The same.
   *
   * @param timers tells the time, and emits what is said of progress
   */
  public static TrainerService open(
      TransferEngine engine, TrainerRank trainer, RoutingTable table, Scheduler timers) {
    Objects.requireNonNull(timers, "timers");
    return new TrainerService(engine, new OrderWriter(engine, trainer, table), timers)
        .listening(engine);
  }

  /**
   * Opens it beside an inference rank, which then fills others with the version that it serves, as
   * a trainer that has nothing else. For each order it takes a lease of that version, and gives it
   * back when no NIC reads the buffer any more; it goes on serving meanwhile, and what would change
   * the buffer waits for the lease. An order for another version fails, and so does a run when the
   * rank is closed.
   *
   * @param rank the rank, on whose engine it listens; it stays the caller's, who closes it after
   *     this
   * @param table whose inference ranks orders name, such as {@link
   *     io.reactivetransfer.weights.plan.FillTable} makes it
   * @param options how long a run may take, who is told of it, and the timers
   * @throws IllegalArgumentException if the table does not name the rank as a source, or has it do
   *     something else than write what it has
   * @throws IllegalStateException if the engine is closed, or has one already
   */
  public static TrainerService open(WeightsRank rank, RoutingTable table, RunOptions options) {
    ServedRuns runs = new ServedRuns(rank, rank::lease, table, options);
    return new TrainerService(rank.engine(), runs, options.timers()).listening(rank.engine());
  }

  /**
   * The same trainer in the process of its controller: no message of a controller is needed. What
   * it returns for an order is a run of the rank, and begins, ends and is cancelled with it. It
   * tells inference ranks checksums of samples, as {@link RemoteTrainers#trainer(Peer)} has it.
   */
  public static WeightsTrainer local(
      TransferEngine engine, TrainerRank trainer, RoutingTable table) {
    return local(engine, trainer, table, ChecksumScope.sampled());
  }

  /**
   * The same.
   *
   * @param scope of which bytes it tells inference ranks checksums
   */
  public static WeightsTrainer local(
      TransferEngine engine, TrainerRank trainer, RoutingTable table, ChecksumScope scope) {
    Objects.requireNonNull(scope, "scope");
    OrderWriter writer = new OrderWriter(engine, trainer, table);
    return new WeightsTrainer() {
      @Override
      public Publisher<?> write(WriteOrder order) {
        return writer.write(order, scope);
      }

      @Override
      public String name() {
        return "trainer " + trainer.name();
      }

      @Override
      public boolean saysChecksums() {
        return scope.isSome();
      }
    };
  }

  /**
   * How far the run is that was begun last: what was said of it last at once, then what is said of
   * this one and the next ones, at most 20 times a second and once more when it is done; of what
   * comes faster than it is asked for, the last. Completes when the service is closed. Signals on
   * the scheduler of the timers. Cancelling ends the listening only.
   */
  public Flux<RunProgress> progress() {
    return progress.asFlux().onBackpressureLatest().publishOn(timers, 1);
  }

  /**
   * Cancels what it runs, says so to the controller, and reads no orders any more. Starts when it
   * is first subscribed to and goes on whatever becomes of that; closing again completes together
   * with the first close. Completes when no run of the trainer touches memory, and fails if that
   * cannot be known, as {@link TrainerRank#whenQuiet()} does. The end of the engine does the same.
   */
  public Mono<Void> close() {
    return Mono.defer(() -> {
      if (isClosing.compareAndSet(false, true)) {
        turns.run(this::closeNow);
      }
      return closed;
    });
  }

  private void closeNow() {
    isClosed = true;
    if (inbox != null) {
      inbox.dispose();
    }
    stop(CLOSED);
    runs.close();
    progress.tryEmitComplete();
    Listener.ofEnd(runs.whenQuiet(), closed::complete, closed::fail);
  }

  private void start(Peer sender, RemoteMessage.Start start) {
    Key key = new Key(sender.id(), start.update());
    Run now = run;
    if (answered(sender, key)) {
      return;
    }
    if (now != null && now.key.update().compareTo(key.update()) >= 0) {
      fail(key, sender, "it writes update " + now.key.update() + ", which is not an earlier one");
      return;
    }
    stop("update " + key.update() + " began");
    begin(new Run(key, sender), start);
  }

  /** Says again what was said already; false if nothing was. */
  private boolean answered(Peer sender, Key key) {
    Map<UpdateNumber, RemoteMessage.Answer> ofController = ended.get(key.controller());
    RemoteMessage.Answer end = ofController == null ? null : ofController.get(key.update());
    if (end != null) {
      say(sender, end);
      return true;
    }
    Run now = run;
    if (now != null && now.key.equals(key)) {
      sayProgress(now);
      return true;
    }
    return false;
  }

  private void begin(Run made, RemoteMessage.Start start) {
    run = made;
    sayProgress(made);
    made.watching =
        Listener.of(
            // It was heard just now, whatever is known of it from before.
            made.controller.state().skip(1).filter(state -> state.lossCause() != null),
            lost -> turns.run(() -> stopIf(made, LOST)),
            () -> turns.run(() -> stopIf(made, LOST)),
            failure -> turns.run(() -> stopIf(made, LOST)));
    made.writing =
        Listener.of(
            runs.writeFromElsewhere(start.order(), start.checksums()),
            said -> turns.run(() -> progressed(made, said)),
            () -> turns.run(() -> written(made)),
            failure -> turns.run(() -> failed(made, failure)));
  }

  private void progressed(Run of, RunProgress said) {
    if (of != run) {
      return;
    }
    of.last = said;
    long now = timers.now(TimeUnit.NANOSECONDS);
    if (said.isDone() || now - of.shownNanos >= SHOWN_EVERY.toNanos()) {
      of.shownNanos = now;
      progress.tryEmitNext(said);
    }
    if (now - of.saidNanos >= REPEAT.toNanos()) {
      of.saidNanos = now;
      sayProgress(of);
    }
  }

  private void written(Run of) {
    RunProgress last = of.last;
    if (of == run && last != null) {
      over(of, new RemoteMessage.Done(of.key.update(), runs.name(), last));
    } else if (of == run) {
      over(of, failure(of.key, "it ended without saying that it is done"));
    }
  }

  private void failed(Run of, Throwable why) {
    if (of == run) {
      over(of, failure(of.key, Failure.textOf(why)));
    }
  }

  private void stopIf(Run of, String why) {
    if (of == run) {
      stop(why);
    }
  }

  /** Cancels what runs, if anything does: it gets quiet by itself. */
  private void stop(String why) {
    Run now = run;
    if (now != null) {
      over(now, failure(now.key, why));
    }
  }

  private void over(Run of, RemoteMessage.Answer end) {
    run = null;
    of.end();
    remember(of.key, end);
    say(of.controller, end);
  }

  private void stopped(Peer sender, UpdateNumber update) {
    Key key = new Key(sender.id(), update);
    Run now = run;
    if (now != null && now.key.equals(key)) {
      stop("it was stopped");
    } else if (!answered(sender, key)) {
      // What begins it may come after this.
      fail(key, sender, "it was stopped before it began");
    }
  }

  private void asked(Peer sender, UpdateNumber update) {
    Key key = new Key(sender.id(), update);
    if (!answered(sender, key)) {
      fail(key, sender, "it knows nothing of it; was it started anew?");
    }
  }

  private void fail(Key key, Peer sender, String why) {
    RemoteMessage.Answer end = failure(key, why);
    remember(key, end);
    say(sender, end);
  }

  private RemoteMessage.Failed failure(Key key, String why) {
    return new RemoteMessage.Failed(key.update(), runs.name(), why);
  }

  private void remember(Key key, RemoteMessage.Answer end) {
    SequencedMap<UpdateNumber, RemoteMessage.Answer> ofController =
        ended.computeIfAbsent(key.controller(), controller -> new LinkedHashMap<>());
    ofController.put(key.update(), end);
    if (ofController.size() > MAX_ENDED) {
      ofController.pollFirstEntry();
    }
    if (ended.size() > MAX_CONTROLLERS) {
      ended.pollFirstEntry(); // the one that has been silent for the longest time
    }
  }

  private void sayProgress(Run of) {
    RunProgress last = of.last;
    UpdateNumber update = of.key.update();
    say(
        of.controller,
        last == null
            ? new RemoteMessage.Accepted(update, runs.name())
            : new RemoteMessage.Progress(update, runs.name(), last));
  }

  private void say(Peer to, RemoteMessage.Answer answer) {
    postman.send(to, RemoteCodec.encode(answer));
  }

  private final class Receiving implements Inbox.Handler<RemoteMessage.Order> {

    @Override
    public void received(Peer sender, RemoteMessage.Order order) {
      turns.run(() -> {
        if (isClosed) {
          return;
        }
        switch (order) {
          case RemoteMessage.Start start -> start(sender, start);
          case RemoteMessage.Stop stop -> stopped(sender, stop.update());
          case RemoteMessage.Ask ask -> asked(sender, ask.update());
        }
      });
    }

    /** Whoever asks in another version sees by the answer which one is spoken here. */
    @Override
    public void otherVersion(Peer sender, String why) {
      turns.run(() -> say(sender, new RemoteMessage.Failed(UpdateNumber.NONE, runs.name(), why)));
    }

    @Override
    public void ended() {
      Listener.ofEnd(close(), () -> {}, failure -> {});
    }
  }
}
