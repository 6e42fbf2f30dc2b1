package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.AnswerMono;
import io.reactivetransfer.engine.base.Assembly;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.Signals;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.Domain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Owns the NICs of an engine and everything that moves on them. One thread calls {@link #doWork()}
 * again and again; all state below belongs to it. Other threads reach it by {@link #execute}, the
 * one queue on the way down; user code is reached by the signal scheduler, the one hand-over on the
 * way up.
 */
final class Worker {

  private static final Logger LOG = Loggers.getLogger(Worker.class);

  /** Commands of one turn, so that posting and polling are never held up for long. */
  private static final int MAX_COMMANDS = 1_024;

  private static final int COMMAND_CHUNK = 256;

  private static final Domain[] NONE = {};

  /** A worker that is not polled for its NICs' sake looks at watched words so often. */
  private static final long WATCH_NANOS = 20_000;

  /** Streams that are had signalled in one turn. */
  private static final int MAX_SIGNALS = 4_096;

  /** Streams of one turn that wait for room, and do not get it. */
  private static final int MAX_STALLED = 64;

  private final EngineId id;
  private final EngineOptions options;
  private final LongSupplier clock;
  private final Scheduler signals;
  private final Admission admission;
  private final Counters counters = new Counters();
  private final MpscUnboundedVarHandleArrayQueue<Runnable> commands =
      new MpscUnboundedVarHandleArrayQueue<>(COMMAND_CHUNK);
  private final Timers timers = new Timers();
  private final ImmTable imms;
  private final Mailroom mailroom;
  private final Peers peers;
  private final Liveness liveness;
  private final NicMessages nicMessages = new NicMessages(this);
  private final Revocations revocations = new Revocations(this);
  private final Barriers barriers = new Barriers(this);
  private final NicFailures nicFailures = new NicFailures(this);
  private final List<WatchFlux.Watch> watches = new ArrayList<>();
  private final Chain<Submission<?, ?>> submissions = new Chain<>();
  private final Chain<Submission<?, ?>> stalled = new Chain<>();
  private final ArrayDeque<Submission<?, ?>> signalling = new ArrayDeque<>();
  private final ArrayDeque<Runnable> afterPoll = new ArrayDeque<>();
  private final Set<RegisteredRegion> regions = new LinkedHashSet<>();
  private final Map<Object, Runnable> closeWatchers = new LinkedHashMap<>();
  private final Completions completions = new Completions(this);
  private final Shutdown shutdown = new Shutdown(this);
  private final ReentrantLock afterEnd = new ReentrantLock();

  private @Nullable WorkerHost host;
  private volatile @Nullable PeerAddress address;
  private @Nullable Control control;
  private @Nullable NicGroup nics;
  private List<PeerNic> ownNics = List.of();
  private @Nullable FlightControl flights;
  private @Nullable Consumer<Throwable> openFailure;
  private volatile boolean terminated;
  private @Nullable Thread turning;
  private long turnNanos;
  private long defects;
  private long youngestSubmission;

  Worker(EngineId id, EngineOptions options, LongSupplier clock) {
    this.id = id;
    this.options = options;
    this.clock = clock;
    Scheduler chosen = options.signalScheduler();
    this.signals = chosen == null ? Schedulers.parallel() : chosen;
    this.admission = new Admission(options.maxSubmissions());
    this.imms = new ImmTable(this, options.maxUnclaimedImms());
    this.mailroom = new Mailroom(this);
    this.peers = new Peers(this);
    this.liveness = new Liveness(this);
  }

  // ---- what it consists of ----

  EngineId id() {
    return id;
  }

  EngineOptions options() {
    return options;
  }

  Scheduler signals() {
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

  ImmTable imms() {
    return imms;
  }

  Mailroom mailroom() {
    return mailroom;
  }

  Barriers barriers() {
    return barriers;
  }

  Peers peers() {
    return peers;
  }

  NicMessages nicMessages() {
    return nicMessages;
  }

  Revocations revocations() {
    return revocations;
  }

  NicFailures nicFailures() {
    return nicFailures;
  }

  Shutdown shutdown() {
    return shutdown;
  }

  NicGroup nics() {
    return opened(nics);
  }

  Control control() {
    return opened(control);
  }

  /** What others are told of the NICs of this engine. */
  List<PeerNic> ownNics() {
    return ownNics;
  }

  FlightControl flights() {
    return opened(flights);
  }

  Liveness liveness() {
    return liveness;
  }

  PeerAddress address() {
    return opened(address);
  }

  WorkerHost host() {
    return opened(host);
  }

  long now() {
    return clock.getAsLong();
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
    host.start(this);
  }

  /** Its control channel and its NICs are open. On the worker. */
  void attach(ControlChannel channel, NicGroup nics) {
    this.control = new Control(this, channel);
    this.nics = nics;
    nicFailures.begin(nics);
  }

  /** Everything is there. On the worker. */
  void opened(PeerAddress address, List<PeerNic> ownNics, RegisteredRegion doorbell) {
    this.address = address;
    this.ownNics = ownNics;
    this.flights = new FlightControl(this, nics(), doorbell);
    this.openFailure = null;
    liveness.begin();
  }

  /** The thread could not be set up as it was asked for. */
  void openFailed(Throwable reason) {
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
    turning = Thread.currentThread();
    try {
      turnNanos = now();
      int work = runCommands(MAX_COMMANDS);
      if (nics != null && !nics.isClosed()) {
        nics.flush(); // what was submitted waits for nothing else
      }
      if (!timers.isEmpty()) {
        work += timers.run(turnNanos);
      }
      if (flights != null && !nics().isClosed()) {
        work += drive(nics()) + nics().endTurn();
      }
      if (!watches.isEmpty()) {
        watches.removeIf(watch -> !watch.look());
      }
      shutdown.step();
      if (!terminated) {
        work += flights == null ? 0 : flights.over();
        counters.endTurn();
        flushSignals(MAX_SIGNALS);
        work += signalling.size();
      }
      return work;
    } catch (Throwable failure) {
      breakDown(failure);
      return 1;
    } finally {
      turning = null;
    }
  }

  /**
   * Whether the caller is called within a turn. From any thread, without a fence: no thread can see
   * itself there unless it is, and has written that itself.
   */
  boolean inTurn() {
    return Thread.currentThread().equals(turning);
  }

  /**
   * Closes at once: the next turn might fail at the same place, and get no further. It throws
   * nothing.
   */
  void breakDown(Throwable failure) {
    Signals.said(() ->
        LOG.error(
            "the worker of engine {} failed; the engine closes", id.toShortString(), failure));
    if (flights == null) {
      openFailed(failure);
    } else {
      shutdown.breakDown(failure);
    }
  }

  /** The NICs that turns poll now; none while they open, and after they have closed. */
  Domain[] polledDomains() {
    NicGroup group = nics;
    return flights == null || group == null || group.isClosed() ? NONE : group.domains();
  }

  private int drive(NicGroup group) {
    int work = control().poll();
    for (int nic = 0; nic < group.size(); nic++) {
      work += completions.poll(nic, group.domains()[nic]);
    }
    runAfterPoll();
    work += flights().endSome();
    takeFromStalled();
    work += mailroom.flush();
    group.post();
    return work;
  }

  private void runAfterPoll() {
    Runnable action;
    while ((action = afterPoll.poll()) != null) {
      action.run();
    }
  }

  private void takeFromStalled() {
    Chain.Link<Submission<?, ?>> first;
    Chain.Link<Submission<?, ?>> again = null;
    int tries = MAX_STALLED;
    while (tries > 0 && (first = stalled.first()) != null && first != again) {
      stalled.remove(first);
      if (!first.member().intake()) {
        stalled.add(first);
        again = again == null ? first : again;
        tries--;
      }
    }
  }

  private int runCommands(int limit) {
    int done = 0;
    Runnable command;
    while (done < limit && !terminated && (command = commands.relaxedPoll()) != null) {
      command.run();
      done++;
    }
    return done;
  }

  private void flushSignals(int limit) {
    Submission<?, ?> submission;
    for (int i = 0; i < limit && (submission = signalling.poll()) != null; i++) {
      submission.signal();
    }
  }

  /** The time at which this turn began. */
  long turnNanos() {
    return turnNanos;
  }

  long nanosToNextTimer() {
    long next = timers.isEmpty() ? Long.MAX_VALUE : timers.untilNext(now());
    return watches.isEmpty() ? next : Math.min(next, WATCH_NANOS);
  }

  // ---- what others ask of it ----

  /** Runs a command on the worker. From any thread; after the end, on the caller's. */
  void execute(Runnable command) {
    commands.offer(command);
    if (terminated) {
      runAfterEnd();
    } else {
      host().ring();
    }
  }

  /** Asks the worker something on each subscription; the answer comes on the signal scheduler. */
  <T> Mono<T> ask(Consumer<Answer<T>> question) {
    return Assembly.of(
        new AnswerMono<T>(signals, answer -> execute(() -> answer(answer, question))));
  }

  /**
   * Has a question answered; what is thrown is the answer, and if it must not be, the end of all.
   */
  <T> void answer(Answer<T> answer, Consumer<Answer<T>> question) {
    try {
      question.accept(answer);
    } catch (TransferException | BackendException e) {
      answer.error(e);
    } catch (RuntimeException | Error e) {
      answer.error(e);
      throw e;
    }
  }

  /** When no thread turns the worker any more, those who want something of it do it themselves. */
  private void runAfterEnd() {
    while (!commands.isEmpty() && afterEnd.tryLock()) {
      try {
        Runnable command;
        while ((command = commands.relaxedPoll()) != null) {
          runAfterEnd(command);
        }
        attempt("signalling", () -> flushSignals(Integer.MAX_VALUE));
      } finally {
        afterEnd.unlock();
      }
    }
  }

  private void runAfterEnd(Runnable command) {
    attempt("an action after its end", command);
  }

  /** Does one of several things that must all be tried, whatever happens in the others. */
  void attempt(String what, Runnable action) {
    try {
      action.run();
    } catch (Throwable failure) {
      Signals.said(() -> LOG.error("engine {}: {} failed", id.toShortString(), what, failure));
    }
  }

  /** Has something of a user's done on the signal scheduler, or here if that is gone. */
  void signal(Runnable signal) {
    Runnable guarded = () -> attempt("a signal", signal);
    try {
      signals.schedule(guarded);
    } catch (Throwable failure) {
      signalsFailed(failure);
      guarded.run();
    }
  }

  /** The signal scheduler takes nothing more. */
  void signalsFailed(Throwable failure) {
    defect("the signal scheduler is disposed; signals come on the NIC's thread: " + failure);
  }

  boolean isTerminated() {
    return terminated;
  }

  /** The last act on the worker's thread: from here on, what it owns is guarded by a lock. */
  void terminate() {
    counters.endTurn();
    while (!afterPoll.isEmpty()) {
      attempt("an action after polling", this::runAfterPoll);
    }
    while (!signalling.isEmpty()) {
      attempt("signalling", () -> flushSignals(Integer.MAX_VALUE));
    }
    terminated = true;
    runAfterEnd();
  }

  /** A NIC has lost its way to a peer, to which others may have theirs. */
  void wayLost(EngineId id, int nic, String text) {
    PeerLink peer = peers.find(id);
    if (peer != null && !nics().hasFailed(nic)) {
      peer.wayLost(nic);
    }
  }

  /** A peer is gone: ends everything that waits for it. */
  void peerLost(PeerLink peer, PeerUnreachableException loss) {
    peer.lost(loss);
    mailroom.peerLost(peer, loss);
    flights().peerLost(peer, loss);
    imms.peerLost(peer, loss);
    barriers.peerLost(peer, loss);
    revocations.peerLost(peer);
  }

  // ---- its books ----

  /** Returns its number: a younger one has a higher one. */
  long register(Submission<?, ?> submission) {
    submissions.add(submission.ofWorker);
    long serial = ++youngestSubmission;
    if (shutdown.isBegun()) {
      submission.close(Admission.closedError());
    }
    return serial;
  }

  long youngestSubmission() {
    return youngestSubmission;
  }

  void unregister(Submission<?, ?> submission) {
    submissions.remove(submission.ofWorker);
    stalled.remove(submission.stalled);
  }

  Chain<Submission<?, ?>> submissions() {
    return submissions;
  }

  void takeFrom(Submission<?, ?> submission) {
    stalled.remove(submission.stalled);
    if (!submission.intake()) {
      stalled.add(submission.stalled);
    }
  }

  /** Does something when what the NICs have found by now was taken note of. */
  void afterPoll(Runnable action) {
    if (polledDomains().length == 0) {
      action.run();
    } else {
      afterPoll.add(action);
    }
  }

  void signalLater(Submission<?, ?> submission) {
    signalling.add(submission);
  }

  void regionOpened(RegisteredRegion region) {
    regions.add(region);
    counters.add(Counters.OPEN_REGIONS, 1);
  }

  void regionClosed(RegisteredRegion region) {
    if (regions.remove(region)) {
      counters.add(Counters.OPEN_REGIONS, -1);
    }
  }

  List<RegisteredRegion> regions() {
    return List.copyOf(regions);
  }

  /** Has this run when the engine begins to close; at once if it has begun. */
  void onClose(Object key, Runnable action) {
    if (shutdown.isBegun()) {
      action.run();
    } else {
      closeWatchers.put(key, action);
    }
  }

  /** Looks after a word from now on. */
  void watch(WatchFlux.Watch watch) {
    if (shutdown.isBegun()) {
      watch.end(Admission.closedError());
    } else {
      watches.add(watch);
    }
  }

  void endWatches(RuntimeException reason) {
    watches.forEach(watch -> watch.end(reason));
    watches.clear();
  }

  void forget(Object key) {
    closeWatchers.remove(key);
  }

  List<Runnable> closeWatchers() {
    return List.copyOf(closeWatchers.values());
  }

  /**
   * Something came from below, or from a peer, that must not come: said, and survived. Of many, the
   * first, second, fourth, eighth and so on are said.
   */
  void defect(String text) {
    if (Long.bitCount(++defects) == 1) {
      Signals.said(
          () -> LOG.warn("engine {}: {} (defect number {})", id.toShortString(), text, defects));
    }
  }

  /** How many there were. */
  long defects() {
    return defects;
  }

  void taskFailed(Throwable failure) {
    Signals.said(() ->
        LOG.error("a task on the scheduler of engine {} failed", id.toShortString(), failure));
  }
}
