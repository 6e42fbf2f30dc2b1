package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.AfterPoll;
import io.reactivetransfer.engine.base.Closing;
import io.reactivetransfer.engine.base.Commands;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.base.Owner;
import io.reactivetransfer.engine.base.Recording;
import io.reactivetransfer.engine.base.SignalScheduler;
import io.reactivetransfer.engine.base.Signals;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.engine.origin.Submissions;
import io.reactivetransfer.engine.target.Watches;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.EngineIdentity;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Gives the parts of an engine their turns. One thread calls {@link #doWork()} again and again; all
 * that the parts hold belongs to it. Other threads reach it by {@link Commands}, the one queue on
 * the way down; user code is reached by the {@link SignalScheduler}, the one hand-over on the way
 * up. It knows the parts, and no part knows it.
 */
final class Worker {

  private static final Logger LOG = Loggers.getLogger(Worker.class);

  /** Commands of one turn, so that posting and polling are never held up for long. */
  private static final int MAX_COMMANDS = 1_024;

  private static final Domain[] NONE = {};

  private final EngineId id;
  private final int tableSeed;
  private final EngineOptions options;
  private final Defects defects;
  private final SignalScheduler signals;
  private final Admission admission;
  private final Owner owner = new Owner();
  private final Counters counters = new Counters(owner);
  private final Timers timers;
  private final Closing closing = new Closing(owner);
  private final Submissions submissions = new Submissions(owner, closing);
  private final Commands commands;
  private final AfterPoll afterPoll = new AfterPoll(() -> polledDomains().length);
  private final Shutdown shutdown;
  private final long stallNanos;

  private @Nullable WorkerHost host;
  private @Nullable Parts parts;
  private @Nullable Consumer<Throwable> openFailure;
  private @Nullable TransferEngine recorded;

  Worker(EngineIdentity identity, EngineOptions options, LongSupplier clock) {
    this.id = identity.id();
    this.tableSeed = identity.tableSeed();
    this.options = options;
    this.defects = new Defects(id, options.recorder());
    Scheduler chosen = options.signalScheduler();
    this.signals = new SignalScheduler(chosen == null ? Schedulers.parallel() : chosen, defects);
    this.admission = new Admission(options.maxSubmissions());
    this.timers = new Timers(clock, owner);
    this.commands = new Commands(owner, signals, defects, submissions::signalAll);
    this.shutdown = new Shutdown(this);
    this.stallNanos = options.stallThreshold().toNanos();
  }

  // ---- what parts are given ----

  EngineId id() {
    return id;
  }

  /** Of tables whose keys others choose. */
  int tableSeed() {
    return tableSeed;
  }

  EngineOptions options() {
    return options;
  }

  Defects defects() {
    return defects;
  }

  SignalScheduler signals() {
    return signals;
  }

  Admission admission() {
    return admission;
  }

  Counters counters() {
    return counters;
  }

  Timers timers() {
    return timers;
  }

  Closing closing() {
    return closing;
  }

  Submissions submissions() {
    return submissions;
  }

  Commands commands() {
    return commands;
  }

  AfterPoll afterPoll() {
    return afterPoll;
  }

  // ---- what it consists of ----

  Shutdown shutdown() {
    return shutdown;
  }

  Parts parts() {
    return opened(parts);
  }

  WorkerHost host() {
    return opened(host);
  }

  private static <T> T opened(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("the engine is not open yet");
    }
    return part;
  }

  // ---- its beginning ----

  /** Begins to take turns on this host. */
  void start(WorkerHost host, Consumer<Throwable> openFailure) {
    this.host = host;
    this.openFailure = openFailure;
    commands.begin(host);
    host.start(this);
  }

  /** Everything is there. In a turn. */
  void begin(Parts parts) {
    this.parts = parts;
    this.openFailure = null;
    parts.liveness.begin();
  }

  /** Whom the recorder hears of. In a turn. */
  void recorded(TransferEngine engine) {
    this.recorded = engine;
    defects.recording().tell(recorder -> recorder.opened(engine));
  }

  /** The NICs are closed. In the last turn. */
  void recordClosed(@Nullable Throwable reason) {
    TransferEngine engine = recorded;
    if (engine != null) {
      recorded = null;
      defects.recording().tell(recorder -> recorder.closed(engine, reason));
    }
  }

  /** The thread could not be set up as it was asked for: on it, before its first turn. */
  void cannotBegin(Throwable reason) {
    owner.enter();
    try {
      openFailed(reason);
    } finally {
      owner.leave();
    }
  }

  private void openFailed(Throwable reason) {
    Consumer<Throwable> listener = openFailure;
    if (listener != null) {
      listener.accept(reason);
    }
  }

  // ---- its turns ----

  /**
   * One turn: takes commands, polls, posts, signals. Returns how much there was to do. It throws
   * nothing, whatever happens in it.
   */
  int doWork() {
    owner.enter();
    try {
      timers.beginTurn();
      int work = commands.run(MAX_COMMANDS);
      Parts all = parts;
      if (all != null && !all.nics.isClosed()) {
        all.posting.flush(); // what was submitted waits for nothing else
      }
      if (!timers.isEmpty()) {
        work += timers.run(timers.turnNanos());
      }
      if (all != null) {
        work += drive(all);
      }
      shutdown.step();
      if (!commands.haveEnded()) {
        work += all == null ? 0 : all.flights.over();
        counters.endTurn();
        work += submissions.signalSome();
      }
      lookForStall();
      return work;
    } catch (Throwable failure) {
      breakDown(failure);
      return 1;
    } finally {
      owner.leave();
    }
  }

  /**
   * Only for a recorder that was told of the engine, and not of its end: it is another look at the
   * clock in each turn.
   */
  private void lookForStall() {
    Recording recording = defects.recording();
    if (recorded != null && recording.isOn()) {
      long took = timers.now() - timers.turnNanos();
      if (took > stallNanos) {
        recording.tell(recorder -> recorder.stalled(id, Duration.ofNanos(took)));
      }
    }
  }

  private int drive(Parts all) {
    int work = 0;
    if (!all.nics.isClosed()) {
      work += all.controlEvents.poll();
      Domain[] domains = all.nics.domains();
      for (int nic = 0; nic < domains.length; nic++) {
        int found = all.completions.poll(nic, domains[nic]);
        afterPoll.polled(nic, found);
        work += found;
      }
      afterPoll.run();
      work += all.flights.endSome();
      submissions.takeFromStalled();
      work += all.mailroom.flush();
      all.posting.post();
      work += all.posting.endTurn();
    }
    all.watches.look();
    return work;
  }

  /**
   * Closes at once: the next turn might fail at the same place, and get no further. It throws
   * nothing.
   */
  void breakDown(Throwable failure) {
    Signals.said(() ->
        LOG.error(
            "the worker of engine {} failed; the engine closes", id.toShortString(), failure));
    if (owner.inTurn()) {
      end(failure);
    } else { // it was its host that failed
      owner.enter();
      end(failure);
      owner.leave();
    }
  }

  private void end(Throwable failure) {
    if (parts == null) {
      openFailed(failure);
    } else {
      shutdown.breakDown(failure);
    }
  }

  /** The NICs that turns poll now; none while they open, and after they have closed. */
  Domain[] polledDomains() {
    Parts all = parts;
    return all == null || all.nics.isClosed() ? NONE : all.nics.domains();
  }

  long nanosToNextTimer(long now) {
    long next = timers.isEmpty() ? Long.MAX_VALUE : timers.untilNext(now);
    Parts all = parts;
    return all == null || all.watches.isEmpty() ? next : Math.min(next, Watches.LOOK_NANOS);
  }

  /** The last act on the NIC thread: from here on, what it owns is guarded by a lock. */
  void terminate() {
    counters.endTurn();
    afterPoll.runAll(defects);
    submissions.signalAll(defects);
    commands.end();
  }
}
