package io.reactivetransfer.moe;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * What all lanes of a rank share: who the others are, what is under way, and how it ends. When one
 * thing fails, all does: what was not posted is not, and who waits is told when nothing is out and
 * nobody copies. All of it only in turns, unless it is said otherwise.
 */
final class Group {

  /** How long a rank that has stopped writing has to say why. */
  private static final Duration GRACE = Duration.ofMillis(250);

  /** A write of no more operations is counted by all of them. */
  private static final int MOST_GATHERS = 8;

  final TransferEngine engine;
  final GroupEpoch id;
  final MoeShape shape;
  final MoeOptions options;
  final Ranks ranks;
  final MemoryRegion region;

  /** Memory of accelerators that the application has tokens, results or sums in. */
  final DeviceRows devices;

  final ImmLease lease;
  final Turns turns;
  final Mail mail;
  final Lateness lateness;
  final Losses losses;
  final Departures departures;
  final Release release;
  final Recording recording;

  /** Whether halves begin on the NIC's thread, where signals come, too. */
  final boolean isOnNicThread;

  /** Whether what is copied and computed is, too. */
  final boolean worksOnNicThread;

  /** One that is nobody's, to ask whether any may. */
  final Thread anyThread = Thread.ofPlatform().unstarted(() -> {});

  private final Flags flags;
  private final Consumer<Runnable> elsewhere;
  private final List<MoeLane> lanes = new ArrayList<>();

  /** What waits for the engine for as long as the group lives. */
  private final List<Disposable> streams = new ArrayList<>();

  private final List<Half<?>> halves = new ArrayList<>();
  private final List<Runnable> whenQuiet = new ArrayList<>();
  private int working;
  private boolean isQuiet;

  /** Read by any thread. */
  private volatile boolean isOpen;

  /** Why it has failed, without who it is about; for others, who say that themselves. */
  private String reason = "";

  /** Read by any thread. */
  private volatile @Nullable GroupFailedException failure;

  Group(
      TransferEngine engine,
      GroupEpoch id,
      MoeShape shape,
      MoeOptions options,
      Ranks ranks,
      MemoryRegion region,
      DeviceRows devices,
      ImmLease lease,
      Consumer<Group> whenReleased) {
    this.engine = engine;
    this.id = id;
    this.shape = shape;
    this.options = options;
    this.ranks = ranks;
    this.region = region;
    this.devices = devices;
    this.lease = lease;
    this.turns = new Turns(this::threw);
    this.mail = new Mail(this);
    this.lateness = new Lateness(this);
    this.losses = new Losses(this);
    this.departures = new Departures(this);
    this.release = new Release(this, whenReleased);
    this.recording = new Recording(options.recorder());
    this.elsewhere = options.scheduler()::schedule;
    this.flags = new Flags(options.arrivalFlags(), shape.lanes());
    this.isOnNicThread = Schedulers.immediate().equals(engine.options().signalScheduler());
    this.worksOnNicThread = isOnNicThread && Schedulers.immediate().equals(options.scheduler());
  }

  /**
   * Whether NICs gather so many rows of one write, so that nobody need copy them together before.
   * What is more operations than are counted together would be told after another round trip; and
   * not at all where nobody knows when a write has come.
   */
  boolean gathers(long rows) {
    return engine.maxGather() > 1
        && rows <= (long) MOST_GATHERS * engine.maxGather()
        && engine.completionLevel() == CompletionLevel.DELIVERED;
  }

  /** All ranks have joined. */
  void begin() {
    flags.begin(shape.lanes());
    for (int lane = 0; lane < shape.lanes(); lane++) {
      lanes.add(new MoeLane(this, lane));
    }
    isOpen = true;
  }

  /** From any thread: whether all have joined. */
  boolean isOpen() {
    return isOpen;
  }

  /** Whether all have joined. */
  boolean hasBegun() {
    return !lanes.isEmpty();
  }

  MoeLane lane(int index) {
    return lanes.get(index);
  }

  /** A lane of which a step is under way, or null. */
  @Nullable MoeLane busyLane() {
    for (MoeLane lane : lanes) {
      if (lane.isBusy()) {
        return lane;
      }
    }
    return null;
  }

  /** How many steps of each lane are over. */
  List<Long> stepsOfLanes() {
    return lanes.stream().map(MoeLane::steps).toList();
  }

  /** Fails the group if somebody has left who would be needed for a step that is under way. */
  void requireAllOfLanes() {
    for (MoeLane lane : lanes) {
      departures.requireAll(lane.index(), lane.stepUnderWay());
    }
  }

  // What is under way

  /** From any thread: why no step can begin any more, or null. */
  @Nullable GroupFailedException failure() {
    return failure;
  }

  /** What others are told of the failure. */
  String reason() {
    return reason;
  }

  void afterwards(Runnable signal) {
    turns.afterwards(signal);
  }

  /**
   * An event that a stream of the engine brings: signals do not hold that stream up, unless all is
   * on the NIC's thread.
   */
  void heard(Runnable event) {
    if (isOnNicThread) {
      turns.run(event);
    } else {
      turns.run(event, elsewhere);
    }
  }

  /** Somebody waits for a half; ends with the group, if not before. */
  void opened(Half<?> half) {
    GroupFailedException why = failure;
    if (half.isOver()) {
      return; // cancelled before this
    }
    if (why != null && isQuiet && working == 0) {
      half.fail(why);
    } else {
      halves.add(half);
    }
  }

  void ended(Half<?> half) {
    halves.remove(half);
  }

  /** Something is copied or computed. */
  void workBegins() {
    working++;
  }

  /** It is done; says whether to go on. */
  boolean workEnds() {
    working--;
    if (failure != null) {
      endIfQuiet();
      return false;
    }
    return true;
  }

  void workFailed(Throwable e) {
    working--;
    if (!failIfFreed(e)) {
      fail(ranks.own(), "copying or summing up has failed: " + Thrown.textOf(e), e, true);
    }
    endIfQuiet();
  }

  private void threw(Throwable e) {
    if (!failIfFreed(e)) {
      fail(-1, "a defect: " + Thrown.textOf(e), e, true);
    }
  }

  /**
   * Whatever the failure says, if memory of the application is gone that was in use, it comes of
   * that.
   */
  boolean failIfFreed(@Nullable Throwable e) {
    String freed = freed();
    if (freed != null) {
      fail(ranks.own(), freed, e, true);
    }
    return freed != null;
  }

  /** What of the memory that is in use was freed, or null. */
  private @Nullable String freed() {
    String freed = Freed.ofGroup("memory of the group", ((HostMemory) region.memory()).segment());
    if (freed == null) {
      freed = Freed.ofGroup("arrival flags", options.arrivalFlags());
    }
    for (int i = 0; freed == null && i < lanes.size(); i++) {
      freed = lanes.get(i).freed();
    }
    return freed;
  }

  /** What comes under an immediate of a lane. */
  ImmCounter counter(int lane, int what) {
    ImmCounter counter = lease.counter(lane * Ranks.IMMS_PER_LANE + what);
    return flags.raising(counter.within(options.deadline()), lane, what);
  }

  /** Whoever waits for the word of a lane's batches may go on. Before the signal. */
  void batchIsThere(MoeLane lane) {
    flags.batchIsThere(lane.index());
  }

  /** This ends with the group. */
  void add(Disposable stream) {
    streams.add(stream);
  }

  /** What was claimed did not come. */
  void notArrived(MoeLane lane, int what, int count, Throwable e) {
    String kind = what == Ranks.ROWS ? "routes" : what == Ranks.TOKENS ? "tokens" : "results";
    String text = count + " writes of " + kind + " did not come on lane " + lane.index();
    if (e instanceof DeadlineExceededException) {
      long needed = 4 * lane.stepUnderWay() + what + 1;
      lateness.find(lane, needed, text + " within " + options.deadline(), e);
    } else {
      streamFailed(text, e);
    }
  }

  /** A stream of writes or of claims has failed. */
  void streamFailed(String what, Throwable e) {
    if (engine.isClosed()) {
      engineClosed();
      return;
    }
    if (failIfFreed(e)) {
      return;
    }
    int blamed = ranks.of(e);
    String why = what + ": " + e.getMessage();
    if (blamed >= 0 && e instanceof TransferFailedException) {
      // It has stopped writing, so it is about to say why, and can say it better. Or it does not
      // know that its memory is gone, unless it is asked something.
      mail.send(blamed, new MoeMessage.Ask(id, 0), () -> {});
      after(GRACE, () -> fail(blamed, why, e, true));
    } else {
      fail(blamed, why, e, true);
    }
  }

  /**
   * In a turn, when some time has passed. Whoever waits for long disposes of it with what it waits
   * for, since a timer holds the group and what that holds.
   */
  Disposable after(Duration time, Runnable event) {
    Timer timer = new Timer(() -> turns.run(event));
    try {
      timer.scheduled(options.timers().schedule(timer, time.toNanos(), TimeUnit.NANOSECONDS));
    } catch (RejectedExecutionException e) {
      // Without timers nobody could wait for anything. What was to come later comes now.
      turns.run(() -> {
        fail(-1, "its timers take no tasks: " + e, e, true);
        event.run();
      });
    }
    return timer;
  }

  void engineClosed() {
    fail(-1, "the engine has closed", null, false);
  }

  // How it ends

  /** Ends everything, when it is quiet; only the first reason counts. */
  void fail(int blamed, String why, @Nullable Throwable cause, boolean tell) {
    fail(blamed, why, "", cause, tell);
  }

  /**
   * The same for what was heard.
   *
   * @param said who has said it, for people here: others hear it from this rank
   */
  void fail(int blamed, String text, String said, @Nullable Throwable cause, boolean tell) {
    if (failure != null) {
      return;
    }
    String why = Texts.oneLine(text);
    reason = why;
    String who = blamed < 0 ? "" : ranks.name(blamed) + ": ";
    GroupFailedException failed =
        new GroupFailedException("group " + id + " is over: " + who + why + said, blamed, cause);
    failure = failed;
    tellRecorder(failed);
    streams.forEach(Disposable::dispose);
    streams.clear();
    Listener.ofEnd(quiesced(), () -> turns.run(this::quiet), e -> turns.run(() -> notQuiet(e)));
    flags.release(this);
    if (tell) {
      mail.giveUp(blamed, why);
    } else if (!release.isClosing()) {
      departures.tellLeft(blamed, why);
    }
    departures.waitNoMore();
  }

  /** What NICs read here is quiet, the application's tokens, too. */
  private Mono<Void> quiesced() {
    List<Mono<Void>> all = new ArrayList<>(List.of(region.quiesced()));
    for (MoeLane lane : lanes) {
      MemoryRegion tokens = lane.dispatch.source();
      if (tokens != null) {
        all.add(tokens.quiesced());
      }
    }
    return all.size() == 1 ? all.getFirst() : Mono.whenDelayError(all);
  }

  private void tellRecorder(GroupFailedException failed) {
    if (recording.isOn()) {
      lanes.forEach(lane -> lane.failed(failed));
      if (!release.isClosing()) {
        recording.tell((recorder, group) -> recorder.groupFailed(group, failed));
      }
    }
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

  /** After a failure: does it when nothing touches memory any more. */
  void whenQuiet(Runnable then) {
    whenQuiet.add(then);
    endIfQuiet();
  }
}
