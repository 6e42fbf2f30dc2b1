package io.reactivetransfer.moe;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * What all lanes of a rank share: who the others are, what is under way, and how it ends. When one
 * thing fails, all does: what was not posted is not, and who waits is told when nothing is out and
 * nobody copies. All of it only in turns, unless it is said otherwise.
 */
final class Group {

  /** How long a rank that has stopped writing has to say why. */
  private static final Duration GRACE = Duration.ofMillis(250);

  final TransferEngine engine;
  final GroupEpoch id;
  final MoeShape shape;
  final MoeOptions options;
  final Ranks ranks;
  final MemoryRegion region;
  final ImmLease lease;
  final Turns turns;
  final Mail mail;
  final Lateness lateness;
  final Losses losses;

  /** One that is nobody's, to ask whether any may. */
  final Thread anyThread = Thread.ofPlatform().unstarted(() -> {});

  private final ImmCounter[] counters;
  private final List<MoeLane> lanes = new ArrayList<>();
  private final List<Disposable> waiting = new ArrayList<>();
  private final List<Half<?>> halves = new ArrayList<>();
  private final List<Runnable> whenQuiet = new ArrayList<>();
  private final Sinks.Empty<Void> closed = Sinks.empty();
  private final List<Consumer<@Nullable Throwable>> whenReleased = new ArrayList<>();
  private final boolean[] isGone;
  private final boolean[] hearsNothing;

  /** What those that left had done on each lane, or null. */
  private final List<@Nullable List<Long>> doneByLeft = new ArrayList<>();

  private @Nullable Runnable whenAllGone;
  private int working;
  private boolean isQuiet;
  private boolean isClosing;
  private boolean isReleasing;
  private boolean isReleased;
  private @Nullable Throwable releaseFailure;

  /** Read by any thread. */
  private volatile @Nullable GroupFailedException failure;

  Group(
      TransferEngine engine,
      GroupEpoch id,
      MoeShape shape,
      MoeOptions options,
      Ranks ranks,
      MemoryRegion region,
      ImmLease lease,
      Consumer<Group> whenReleased) {
    this.engine = engine;
    this.id = id;
    this.shape = shape;
    this.options = options;
    this.ranks = ranks;
    this.region = region;
    this.lease = lease;
    this.whenReleased.add(e -> whenReleased.accept(this));
    this.turns = new Turns(e -> fail(-1, "a defect: " + e, e, true));
    this.mail = new Mail(this);
    this.lateness = new Lateness(this);
    this.losses = new Losses(this);
    this.isGone = new boolean[ranks.count()];
    this.hearsNothing = new boolean[ranks.count()];
    for (int rank = 0; rank < ranks.count(); rank++) {
      doneByLeft.add(null);
    }
    this.counters = new ImmCounter[shape.lanes() * Ranks.IMMS_PER_LANE];
    for (int i = 0; i < counters.length; i++) {
      counters[i] = lease.counter(i).within(options.deadline());
    }
  }

  /** All ranks have joined. */
  void begin() {
    for (int lane = 0; lane < shape.lanes(); lane++) {
      lanes.add(new MoeLane(this, lane));
    }
  }

  /** Whether all have joined. */
  boolean hasBegun() {
    return !lanes.isEmpty();
  }

  MoeLane lane(int index) {
    return lanes.get(index);
  }

  // What is under way

  /** From any thread: why no step can begin any more, or null. */
  @Nullable GroupFailedException failure() {
    return failure;
  }

  void afterwards(Runnable signal) {
    turns.afterwards(signal);
  }

  /** Somebody waits for a half; ends with the group, if not before. */
  void opened(Half<?> half) {
    GroupFailedException why = failure;
    if (why != null && isQuiet && working == 0) {
      half.fail(why);
    } else {
      halves.add(half);
    }
  }

  void ended(Half<?> half) {
    halves.remove(half);
  }

  /** Copies or computes on the scheduler of the options; then goes on in a turn. */
  void work(Runnable task, Runnable then) {
    working++;
    turns.afterwards(() -> {
      try {
        options.scheduler().schedule(() -> workNow(task, then));
      } catch (Throwable e) {
        turns.run(() -> workFailed(e));
      }
    });
  }

  private void workNow(Runnable task, Runnable then) {
    try {
      task.run();
    } catch (Throwable e) {
      // Whatever it is, such as memory that was freed meanwhile, it ends the group and is heard.
      turns.run(() -> workFailed(e));
      return;
    }
    turns.run(() -> {
      working--;
      if (failure == null) {
        then.run();
      } else {
        endIfQuiet();
      }
    });
  }

  private void workFailed(Throwable e) {
    working--;
    fail(ranks.own(), "copying or summing up has failed: " + e, e, true);
    endIfQuiet();
  }

  /** Writes all of them; then goes on. Their list is not read any more then. */
  void submit(List<Transfer> writes, Runnable then) {
    if (writes.isEmpty()) {
      then.run();
      return;
    }
    listen(
        engine.submit(Flux.fromIterable(writes), options.deadline()),
        then,
        e -> failed("a write has failed", e));
  }

  /** Waits for arrivals; then goes on. */
  void claim(MoeLane lane, int what, int count, Runnable then) {
    if (count == 0) {
      then.run();
      return;
    }
    listen(
        counters[lane.index() * Ranks.IMMS_PER_LANE + what].next(count),
        then,
        e -> notArrived(lane, what, count, e));
  }

  private void notArrived(MoeLane lane, int what, int count, Throwable e) {
    String kind = what == Ranks.ROWS ? "routes" : what == Ranks.TOKENS ? "tokens" : "results";
    String text = count + " writes of " + kind + " did not come on lane " + lane.index();
    if (e instanceof DeadlineExceededException) {
      long needed = 4 * lane.stepUnderWay() + what + 1;
      lateness.find(lane, needed, text + " within " + options.deadline(), e);
    } else {
      failed(text, e);
    }
  }

  private <T> void listen(Publisher<T> publisher, Runnable then, Consumer<Throwable> failed) {
    Disposable.Swap here = Disposables.swap();
    waiting.add(here);
    here.update(
        Listener.ofEnd(
            publisher,
            () ->
                turns.run(() -> {
                  if (waiting.remove(here)) {
                    then.run();
                  }
                }),
            e ->
                turns.run(() -> {
                  if (waiting.remove(here)) {
                    failed.accept(e);
                  }
                })));
  }

  private void failed(String what, Throwable e) {
    int blamed = ranks.of(e);
    String why = what + ": " + e.getMessage();
    if (blamed >= 0 && e instanceof TransferFailedException) {
      // It has stopped writing, so it is about to say why, and can say it better.
      after(GRACE, () -> fail(blamed, why, e, true));
    } else {
      fail(blamed, why, e, true);
    }
  }

  /** In a turn, when some time has passed; it is not taken back. */
  void after(Duration time, Runnable event) {
    options.timers().schedule(() -> turns.run(event), time.toNanos(), TimeUnit.NANOSECONDS);
  }

  // What others do

  void lost(int rank, PeerUnreachableException loss) {
    hearsNothing[rank] = true;
    if (!isGone[rank]) {
      gone(rank);
      if (!isClosing) {
        fail(rank, "was lost: " + loss.getMessage(), loss, true);
      }
    }
  }

  /** Another rank joins a later epoch of this group, and has not left this one. */
  void goesOn(int rank, String why) {
    if (!isGone[rank]) {
      gone(rank);
      if (!isClosing) {
        fail(rank, why, null, true); // and it is told, in case that it is in both
      }
    }
  }

  void engineClosed() {
    fail(-1, "the engine has closed", null, false);
  }

  /** Another rank has given the group up. */
  void gaveUp(int rank, MoeMessage.GiveUp giveUp) {
    hearsNothing[rank] = true;
    gone(rank);
    if (!isClosing) {
      int blamed = giveUp.blamed() < ranks.count() ? giveUp.blamed() : -1;
      String by = blamed < 0 || blamed == rank ? "" : " (says " + ranks.name(rank) + ")";
      fail(blamed < 0 ? rank : blamed, giveUp.why() + by, null, false);
    }
  }

  /** Another rank takes part in no more steps. */
  void left(int rank, List<Long> steps) {
    if (steps.size() != shape.lanes()) {
      return;
    }
    doneByLeft.set(rank, steps);
    gone(rank);
    if (failure != null) {
      // It waits until all others have left, too.
      mail.giveUp(rank, -1, "the group was over already");
      return;
    }
    for (MoeLane lane : lanes) {
      requireAll(lane.index(), lane.stepUnderWay());
    }
  }

  /** Whether it was lost, or is over by itself; who has left in order waits for others to do so. */
  boolean hearsNothing(int rank) {
    return hearsNothing[rank];
  }

  /** Whether it takes part no more. */
  boolean isGone(int rank) {
    return isGone[rank];
  }

  private void gone(int rank) {
    isGone[rank] = true;
    if (areAllGone()) {
      allAreGone();
    }
  }

  private void allAreGone() {
    Runnable then = whenAllGone;
    if (then != null) {
      whenAllGone = null;
      then.run();
    }
  }

  private boolean areAllGone() {
    for (int rank = 0; rank < isGone.length; rank++) {
      if (!isGone[rank] && rank != ranks.own()) {
        return false;
      }
    }
    return true;
  }

  /** Fails the group if somebody has left who would be needed for this step. */
  void requireAll(int lane, long step) {
    for (int rank = 0; rank < doneByLeft.size(); rank++) {
      List<Long> done = doneByLeft.get(rank);
      if (done != null && done.get(lane) < step) {
        fail(
            rank,
            "has left after " + done.get(lane) + " steps on lane " + lane + ", before step " + step,
            null,
            true);
      }
    }
  }

  // How it ends

  /** Ends everything, when it is quiet; only the first reason counts. */
  void fail(int blamed, String why, @Nullable Throwable cause, boolean tell) {
    if (failure != null) {
      return;
    }
    String who = blamed < 0 ? "" : ranks.name(blamed) + ": ";
    failure = new GroupFailedException("group " + id + " is over: " + who + why, blamed, cause);
    waiting.forEach(Disposable::dispose);
    waiting.clear();
    if (tell) {
      mail.giveUp(blamed, why);
    } else if (!isClosing) {
      for (int rank = 0; rank < doneByLeft.size(); rank++) {
        if (doneByLeft.get(rank) != null && !hearsNothing[rank]) {
          mail.giveUp(rank, blamed, why);
        }
      }
    }
    Listener.ofEnd(
        region.quiesced(), () -> turns.run(this::quiet), e -> turns.run(() -> notQuiet(e)));
    allAreGone();
  }

  private void notQuiet(Throwable e) {
    GroupFailedException why = failure;
    if (why != null) {
      why.addSuppressed(e);
    }
    quiet();
  }

  private void quiet() {
    isQuiet = true;
    endIfQuiet();
  }

  private void endIfQuiet() {
    GroupFailedException why = failure;
    if (why == null || !isQuiet || working > 0) {
      return;
    }
    for (Half<?> half : List.copyOf(halves)) {
      half.fail(why);
    }
    List<Runnable> then = List.copyOf(whenQuiet);
    whenQuiet.clear();
    then.forEach(Runnable::run);
  }

  /** Leaves, and gives everything back. */
  void close() {
    if (isClosing) {
      return;
    }
    for (MoeLane lane : lanes) {
      if (lane.isBusy()) {
        String why = "closes before all halves of a step of lane " + lane.index() + " have ended";
        fail(ranks.own(), why, null, true);
      }
    }
    if (lanes.isEmpty()) {
      fail(ranks.own(), "was closed while it joined", null, true);
    }
    isClosing = true;
    if (failure == null) {
      List<Long> steps = lanes.stream().map(MoeLane::steps).toList();
      mail.toAll(new MoeMessage.Leave(id, steps));
      if (!areAllGone()) {
        // What they wrote here last may not have been acknowledged yet, so they are waited for.
        whenAllGone = this::left;
        after(options.closeTimeout(), this::allAreGone);
        return;
      }
    }
    left();
  }

  private void left() {
    fail(ranks.own(), "was closed here", null, false);
    giveBack(e -> {
      if (e == null) {
        afterwards(closed::tryEmitEmpty);
      } else {
        afterwards(() -> closed.tryEmitError(e));
      }
    });
  }

  /**
   * After a failure: gives back what was registered and leased, once, when nothing touches memory
   * any more and all others were told.
   *
   * @param then is told how that went, as everybody is who wants it
   */
  void giveBack(Consumer<@Nullable Throwable> then) {
    if (isReleased) {
      then.accept(releaseFailure);
      return;
    }
    whenReleased.add(then);
    if (!isReleasing) {
      isReleasing = true;
      whenQuiet(() -> mail.whenSent(this::release));
    }
  }

  /** After a failure: does it when nothing touches memory any more. */
  void whenQuiet(Runnable then) {
    whenQuiet.add(then);
    endIfQuiet();
  }

  private void release() {
    losses.stop();
    lease.close();
    Listener.ofEnd(
        region.close(), () -> turns.run(() -> released(null)), e -> turns.run(() -> released(e)));
  }

  private void released(@Nullable Throwable e) {
    isReleased = true;
    releaseFailure = e;
    whenReleased.forEach(then -> then.accept(e));
    whenReleased.clear();
  }

  /** From any thread: completes when all was given back. */
  Mono<Void> closed() {
    return closed.asMono();
  }
}
