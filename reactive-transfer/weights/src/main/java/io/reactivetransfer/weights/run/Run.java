package io.reactivetransfer.weights.run;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.spi.MemoryFaults;
import io.reactivetransfer.weights.internal.End;
import io.reactivetransfer.weights.internal.Recording;
import io.reactivetransfer.weights.kernel.PrepareTask;
import io.reactivetransfer.weights.plan.Step;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;

/**
 * One update of one rank. Steps that need room get it in their order, are then loaded or prepared,
 * and then written; those that need none are written meanwhile. All writes are one stream of the
 * engine, and its end is that of the run: nothing of them is out after it.
 */
final class Run {

  /** As many names as an error can tell. */
  private static final int MOST_NAMES = 8;

  /** How often a run says how far it is: what is said takes memory, and steps take none. */
  private static final int MOST_PROGRESS = 100;

  /** A thread prepares as much before the scheduler may give it to somebody else. */
  private static final long BYTES_OF_A_TASK = 8L << 20;

  /** A step counts as that at least: so one task has 8 steps at most. */
  private static final long LEAST_BYTES_OF_A_STEP = 1L << 20;

  private final Trainer trainer;
  private final UpdateTargets update;
  private final Supplier<PreparedWrites> preparing;
  private final @Nullable StepReader reader;
  private final FluxSink<RunProgress> progress;
  private final RunFeed feed;
  private final End quiet = new End();
  private final Disposable.Swap deadline = Disposables.swap();
  private final Disposable.Composite barriers = Disposables.composite();
  private final long beganNanos = System.nanoTime();

  /** Who is told of its end; set as it begins, before anything of it can end. */
  private volatile @Nullable Recording<RunRecorder.OneRunRecorder> told;

  // Guarded by this.
  private @Nullable PreparedWrites writes;
  private final Queue<StepState> waiting = new ArrayDeque<>();
  private final Counted loaded = new Counted();
  private final Counted gathered = new Counted();
  private final Counted prepared = new Counted();
  private final Counted written = new Counted();
  private final int[] leftOfPhase;

  /** The group whose turn it is; -1 before the first one. */
  private int phase = -1;

  /** The last group at whose end this rank waits for the others, or has waited. */
  private int awaited = -1;

  private int nextRoom;
  private int nextDirect;
  private int running;
  private long held;
  private boolean isReading;
  private boolean isStreamOver;
  private boolean isFinished;
  private boolean isCancelled;

  /** What a cancel ends it with, if nothing else has ended it before. */
  private @Nullable CancellationException cancellation;

  private @Nullable Throwable failure;

  /**
   * Nothing of it is done yet.
   *
   * @param preparing asked for the writes when it is the run whose turn it is
   */
  Run(
      Trainer trainer,
      UpdateTargets update,
      Supplier<PreparedWrites> preparing,
      @Nullable StepReader reader,
      FluxSink<RunProgress> progress) {
    this.trainer = trainer;
    this.update = update;
    this.preparing = preparing;
    this.reader = reader;
    this.progress = progress;
    long steps = (long) trainer.steps.size() + trainer.phases - 1;
    this.feed = new RunFeed(this::nextDirect, steps, this::endIfOver);
    this.leftOfPhase = new int[trainer.phases];
  }

  long number() {
    return update.number();
  }

  /** Completes when nothing of it touches memory any more, however it has ended. */
  Mono<Void> quiet() {
    return quiet;
  }

  /** Begins; what throws before the engine has the writes ends it, as whatever throws later. */
  void begin() {
    boolean isSubmitted = false;
    told = trainer.begun(update.number(), progress.contextView());
    try {
      makeReady();
      Flux<Transfer> stream = trainer.engine.submit(feed);
      isSubmitted = true;
      stream.subscribe(new Completions());
      begin(0);
    } catch (Throwable thrown) {
      fail(thrown);
      if (!isSubmitted) {
        streamOver(); // there is no engine that would say so
      }
    }
  }

  private void makeReady() {
    PreparedWrites made = prepared();
    for (StepState step : trainer.steps) {
      step.reset();
      if (!(step.step instanceof Step.Gather)) {
        step.transfers = made.of(step);
        step.left = step.transfers.length;
      }
      leftOfPhase[step.phase]++;
    }
    long nanos = trainer.options.deadline().toNanos();
    deadline.update(
        trainer.options.timers().schedule(this::deadlineOver, nanos, TimeUnit.NANOSECONDS));
    trainer.gathering.begin(this);
    readDirect();
  }

  private synchronized PreparedWrites prepared() {
    PreparedWrites made = writes;
    if (made == null) {
      made = preparing.get();
      writes = made;
    }
    return made;
  }

  private void deadlineOver() {
    fail(
        new DeadlineExceededException(
            "update "
                + update.number()
                + " of "
                + trainer.name()
                + " was to be written within "
                + trainer.options.deadline()
                + "; done are "
                + snapshot().written().steps()
                + " of "
                + trainer.steps.size()
                + " steps"
                + waitedFor()));
  }

  /** The ranks that this one has asked where to write, and that have not said it; for people. */
  private synchronized String waitedFor() {
    String names =
        trainer.steps.stream()
            .filter(step -> !step.isGranted)
            .filter(step -> step.step instanceof Step.Gather)
            .map(step -> ((Step.Gather) step.step).preparer())
            .distinct()
            .limit(MOST_NAMES)
            .map(rank -> "trainer " + trainer.table.sources().get(rank).name())
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? "" : "; waits for " + names + " to say where it gathers";
  }

  // Room

  /** Gives room to all whose turn it is. */
  private void advance() {
    StepState step = nextWithRoom();
    while (step != null) {
      admitted(step);
      step = nextWithRoom();
    }
  }

  private synchronized @Nullable StepState nextWithRoom() {
    if (failure != null || nextRoom == trainer.withRoom.size()) {
      return null;
    }
    StepState step = trainer.withRoom.get(nextRoom);
    if (step.phase > phase || step.waitsFor > 0) {
      return null;
    }
    nextRoom++;
    step.isAdmitted = true;
    step.admittedNanos = System.nanoTime();
    held += step.temporaryBytes;
    return step;
  }

  private void admitted(StepState step) {
    if (step.gatherIndex >= 0) {
      trainer.gathering.open(this, step);
    } else {
      work(step);
    }
  }

  /** All that others write for a step is here. */
  void gathered(StepState step) {
    synchronized (this) {
      long bytes = ((Step.Prepare) step.step).gatherBytes();
      gathered.add(bytes, System.nanoTime() - step.admittedNanos);
    }
    work(step);
  }

  /** What goes as it lies, in its order; null if there is none now. */
  private @Nullable StepState nextDirect() {
    StepState step;
    synchronized (this) {
      if (nextDirect == trainer.direct.size() || trainer.direct.get(nextDirect).phase > phase) {
        return null;
      }
      step = trainer.direct.get(nextDirect++);
    }
    if (step.transfers.length == 0) {
      done(step);
    }
    return step;
  }

  // Work

  /** Somebody looks at what goes as it lies, beside all else. */
  private void readDirect() {
    if (reader == null || trainer.direct.isEmpty()) {
      return;
    }
    synchronized (this) {
      isReading = true;
    }
    try {
      trainer.options.scheduler().schedule(this::readDirectNow);
    } catch (Throwable e) { // no thread could be had, or an application's scheduler has thrown
      fail(e);
      readingOver();
    }
  }

  private void readDirectNow() {
    try {
      for (StepState step : trainer.direct) {
        if (isStopped()) {
          break;
        }
        read(step);
      }
    } finally {
      readingOver();
    }
  }

  private void read(StepState step) {
    StepReader looks = reader;
    if (looks == null) {
      return;
    }
    try {
      looks.read(step.step, run -> trainer.source(step, run));
    } catch (Throwable thrown) {
      // Whatever it is, it ends this run only, and is heard there.
      fail(new PrepareFailedException(trainer.name(), step.tensor, thrown));
    }
  }

  private void readingOver() {
    synchronized (this) {
      isReading = false;
    }
    endIfOver();
  }

  private void work(StepState step) {
    synchronized (this) {
      if (failure != null) {
        return;
      }
      if (running == trainer.options.parallelism()) {
        waiting.add(step);
        return;
      }
      running++;
    }
    dispatch(step);
  }

  private void dispatch(StepState step) {
    try {
      trainer.options.scheduler().schedule(() -> workNow(step));
    } catch (Throwable e) { // the same; the step must not count as running for ever
      fail(e);
      workOver(false);
    }
  }

  /**
   * Works at a step, and then at those that wait, for which no other thread has to be woken. Behind
   * so many bytes the next one goes to the scheduler, whose threads others may wait for, too.
   */
  private void workNow(StepState first) {
    long left = BYTES_OF_A_TASK;
    StepState step = first;
    while (step != null) {
      left -= Math.max(LEAST_BYTES_OF_A_STEP, step.temporaryBytes);
      boolean goesOn = false;
      try {
        workAt(step);
        goesOn = left > 0;
      } finally {
        step = workOver(goesOn);
      }
    }
  }

  private void workAt(StepState step) {
    try {
      if (!isStopped()) {
        long began = System.nanoTime();
        PrepareTask task = step.task;
        if (task == null) {
          trainer.gathering.load(step);
        } else {
          trainer.copyInputs(step);
          trainer.options.prepare().prepare(task);
          read(step);
        }
        long nanos = System.nanoTime() - began;
        MemoryFaults.report((int) nanos); // before what was read is written to others
        synchronized (this) {
          (task == null ? loaded : prepared).add(step.temporaryBytes, nanos);
        }
        ready(step);
      }
    } catch (Throwable thrown) {
      // Whatever it is, it ends this run only, and is heard there.
      fail(new PrepareFailedException(trainer.name(), step.tensor, thrown));
    }
  }

  /**
   * Somebody who worked is over with a step.
   *
   * @param goesOn whether he can work at the next one
   * @return the next one for him, or null
   */
  private @Nullable StepState workOver(boolean goesOn) {
    StepState next;
    synchronized (this) {
      next = failure == null ? waiting.poll() : null;
      running -= next == null ? 1 : 0;
    }
    if (next != null && goesOn) {
      return next;
    }
    if (next != null) {
      dispatch(next);
    }
    endIfOver();
    return null;
  }

  private void ready(StepState step) {
    if (step.step instanceof Step.Gather) {
      synchronized (this) {
        step.isLoaded = true;
        if (!step.isGranted) {
          return;
        }
      }
    }
    feed(step);
  }

  /**
   * The rank that prepares has room.
   *
   * @param aimed asked for the writes to it, if it has not said so before
   */
  void granted(StepState step, Supplier<Transfer[]> aimed) {
    synchronized (this) {
      if (failure != null || isFinished || step.isGranted) {
        return;
      }
      Transfer[] transfers = aimed.get();
      prepared().add(step, transfers);
      step.transfers = transfers;
      step.left = transfers.length;
      step.isGranted = true;
      if (!step.isLoaded) {
        return;
      }
    }
    feed(step);
  }

  private void feed(StepState step) {
    boolean isEmpty = step.transfers.length == 0;
    feed.add(step);
    if (isEmpty) {
      done(step);
    }
  }

  // Ends of steps

  private void done(StepState step) {
    synchronized (this) {
      written.add(step.bytes, 0);
      held -= step.temporaryBytes;
      StepState successor = step.successor;
      if (successor != null) {
        successor.waitsFor--;
      }
      leftOfPhase[step.phase]--;
    }
    goOn();
  }

  private void begin(int next) {
    synchronized (this) {
      phase = next;
    }
    if (next > 0) {
      feed.add(StepState.END_OF_GROUP);
    } else {
      feed.drain();
    }
    goOn();
  }

  /** Called by the stream of writes, too: what throws must not end that while writes are out. */
  private void goOn() {
    try {
      endGroupIfDone();
      advance();
    } catch (Throwable thrown) {
      fail(thrown);
    }
  }

  /**
   * If the group whose turn it is is done here, the next one begins when it is done everywhere. A
   * rank may have nothing to do in a group, or may have done it before its turn came: others that
   * were faster have asked for it.
   */
  private void endGroupIfDone() {
    int done;
    synchronized (this) {
      done = phase;
      if (failure != null
          || done < 0
          || done == trainer.phases - 1
          || leftOfPhase[done] > 0
          || awaited == done) {
        return;
      }
      awaited = done;
    }
    barriers.add(
        trainer.barrier(update.number(), done).subscribe(null, this::fail, () -> begin(done + 1)));
  }

  synchronized boolean isCancelled() {
    return isCancelled;
  }

  private synchronized boolean isStopped() {
    return failure != null;
  }

  private synchronized RunProgress snapshot() {
    long now = System.nanoTime();
    long end = feed.endNanos();
    return new RunProgress(
        update.number(),
        trainer.steps.size(),
        trainer.bytes,
        loaded.progress(),
        gathered.progress(),
        prepared.progress(),
        written.progress(feed.nanos()),
        held,
        end == 0 ? 0 : now - end,
        now - beganNanos);
  }

  // Ends of the run

  /** Ends it with an error, when its memory is quiet; only the first one counts. */
  void fail(Throwable why) {
    if (stop(why)) {
      feed.fail(why);
      trainer.gathering.failed(this, why);
    }
  }

  void cancel() {
    CancellationException why =
        new CancellationException("update " + update.number() + " of " + trainer.name());
    synchronized (this) {
      isCancelled = true;
      cancellation = why;
    }
    fail(why);
  }

  private synchronized boolean stop(Throwable why) {
    if (failure != null || isFinished) {
      return false;
    }
    failure = why;
    waiting.clear();
    return true;
  }

  private void streamOver() {
    synchronized (this) {
      isStreamOver = true;
    }
    endIfOver();
  }

  private void endIfOver() {
    boolean failed;
    synchronized (this) {
      if (!isStreamOver || running > 0 || isReading || isFinished || feed.isAtIt()) {
        return;
      }
      isFinished = true;
      failed = failure != null;
    }
    deadline.dispose();
    barriers.dispose();
    trainer.gathering.end(this, failed).subscribe(null, this::finish, () -> finish(null));
  }

  private void finish(@Nullable Throwable notQuiet) {
    RunProgress last = snapshot();
    Throwable why;
    boolean isHeard;
    boolean isEndedByCancel;
    synchronized (this) {
      why = failure;
      isHeard = !isCancelled;
      isEndedByCancel = cancellation != null && cancellation.equals(why);
    }
    Recording<RunRecorder.OneRunRecorder> of = told;
    if (of != null && of.isOn()) {
      EndedRun end = new EndedRun(last, isEndedByCancel ? null : why, isEndedByCancel);
      of.tell(each -> each.ended(end));
    }
    trainer.ended(this, notQuiet); // others may begin, or close, from here on
    try {
      if (!isHeard) {
        progress.complete(); // nobody hears it
      } else if (why != null) {
        progress.error(why);
      } else {
        progress.next(last);
        progress.complete();
      }
    } finally {
      // A subscriber may throw as it is told, and others wait for the memory.
      if (notQuiet == null) {
        quiet.complete();
      } else {
        quiet.fail(notQuiet);
      }
    }
  }

  /** What the engine says of the writes. */
  private final class Completions extends BaseSubscriber<Transfer> {

    private final PreparedWrites writes = prepared();
    private final int every = Math.max(1, trainer.steps.size() / MOST_PROGRESS);
    private int done;

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      requestUnbounded();
    }

    @Override
    protected void hookOnNext(Transfer transfer) {
      StepState step = writes.step(transfer);
      if (step != null && --step.left == 0) {
        done(step);
        if (++done % every == 0 && done < trainer.steps.size()) {
          progress.next(snapshot());
        }
      }
    }

    @Override
    protected void hookOnError(Throwable why) {
      if (stop(why)) {
        trainer.gathering.failed(Run.this, why);
      }
      streamOver();
    }

    @Override
    protected void hookOnComplete() {
      streamOver();
    }
  }
}
