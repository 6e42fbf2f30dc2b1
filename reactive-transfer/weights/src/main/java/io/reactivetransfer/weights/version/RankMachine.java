package io.reactivetransfer.weights.version;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an inference rank does, without an engine and without a clock: events come in as calls, and
 * what is to be done goes out to {@link Actions}. Not safe for two threads at once. Actions must
 * not call back; what follows from them is another event.
 *
 * @param <P> how controllers are reached
 */
class RankMachine<P> {

  /** What is done for a machine. */
  interface Actions<P> {

    /** Why this rank cannot take an update, of what the machine does not know; null if it can. */
    default @Nullable String refusal(Command.Prepare order) {
      return null;
    }

    /** Give no new leases. {@link #drained} follows when none is open, now or later. */
    void stopLeases();

    /** Give leases again of what was served before {@link #stopLeases}. */
    void resumeLeases();

    /** Give leases of this buffer. */
    void serve(UpdateNumber update, long version, int buffer);

    /**
     * Make a key of the buffer that nobody has had before, and an immediate that no update has had.
     * {@link #opened} follows, then {@link #filled}; or {@link #failed}.
     */
    void open(UpdateNumber update, int buffer, long arrivals);

    /** End the key and the immediate. {@link #sealed} follows when nothing can land any more. */
    void seal(int buffer);

    /** Tell a controller. */
    void report(P to, Report report);

    /**
     * An update that had begun is over without a flip. All that this asks for was said before; what
     * another update asks for, which takes its place, is said after it.
     */
    default void dropped(UpdateNumber update, String why) {}
  }

  private static final class Work {
    final Command.Prepare order;
    final int buffer;
    Phase phase = Phase.PREPARING;
    @Nullable RankTarget target;

    Work(Command.Prepare order, int buffer) {
      this.order = order;
      this.buffer = buffer;
    }

    UpdateNumber update() {
      return order.update();
    }
  }

  private final MemberId member;
  private final Actions<P> actions;

  /** Of each buffer, whether leases may be open. */
  private final boolean[] leased;

  /** Of each buffer, whether nobody can write to it. */
  private final boolean[] sealed;

  private final Deque<Report.Ended> ended = new ArrayDeque<>();
  private UpdateNumber forgotten = UpdateNumber.NONE;

  /** The greatest update of which it was told. */
  private UpdateNumber highest = UpdateNumber.NONE;

  private Term heard = Term.NONE;
  private long question;
  private long reports;
  private @Nullable P owner;

  /** The buffer that runs, or ran last. */
  private int at;

  private boolean hasVersion;
  private boolean torn;
  private boolean stopped;
  private boolean isClosed;
  private UpdateNumber update = UpdateNumber.NONE;
  private long version;
  private @Nullable Work work;
  private String reason = "";

  /** Why it can take no update any more; null if it can. */
  private @Nullable String broken;

  RankMachine(MemberId member, int buffers, Actions<P> actions) {
    this.member = member;
    this.actions = actions;
    this.leased = new boolean[buffers];
    this.sealed = new boolean[buffers];
    Arrays.fill(sealed, true);
  }

  /** Serves what lies in the first buffer from the start. Before anything else. */
  void begin(long firstVersion) {
    hasVersion = true;
    version = firstVersion;
    serve();
  }

  /** A controller says something. */
  void receive(Command command, P from) {
    boolean mine = command.incarnation() == 0 || command.incarnation() == member.incarnation();
    if (isClosed || isOld(command) || !mine) {
      actions.report(from, report());
      return;
    }
    if (!command.term().equals(heard)) {
      heard = command.term();
      question = 0;
    }
    owner = from;
    switch (command) {
      case Command.Query query -> question = Math.max(question, query.question());
      case Command.Prepare prepare -> prepare(prepare);
      case Command.Open open -> open(open);
      case Command.Hold hold -> hold(hold);
      case Command.Commit commit -> commit(commit);
      case Command.Abort abort -> abort(abort);
    }
    tell();
  }

  /** Whether somebody says it who was replaced. */
  boolean isOld(Command command) {
    return command.term().compareTo(heard) < 0;
  }

  private void prepare(Command.Prepare order) {
    if (isKnown(order.update())) {
      return;
    }
    if (work != null && work.phase != Phase.HELD) {
      drop(false, "another update began");
    }
    highest = order.update();
    String refusal = refusal(order);
    if (refusal != null) {
      end(order.update(), false);
      reason = refusal;
      return;
    }
    reason = "";
    work = new Work(order, order.mode().inPlace ? at : 1 - at);
    if (order.mode().inPlace) {
      stop();
    }
    advance();
  }

  /** Whether an update was ended here, or began; then what is said of its beginning is late. */
  boolean isKnown(UpdateNumber of) {
    return of.compareTo(highest) <= 0;
  }

  private @Nullable String refusal(Command.Prepare order) {
    if (broken != null) {
      return broken;
    }
    if (work != null) {
      return "it has voted for update " + work.update() + " and does not know the decision";
    }
    if (!order.mode().inPlace && leased.length < 2) {
      return "it has one buffer, and the update wants two";
    }
    return actions.refusal(order);
  }

  private void open(Command.Open order) {
    Work of = workOf(order.update(), Phase.PREPARED);
    if (of == null) {
      return;
    }
    of.phase = Phase.OPENING;
    sealed[of.buffer] = false;
    if (of.order.mode().inPlace) {
      hasVersion = false;
      torn = true;
    }
    actions.open(of.update(), of.buffer, of.order.arrivals());
  }

  private void hold(Command.Hold order) {
    Work of = workOf(order.update(), Phase.FILLED);
    if (of != null) {
      of.phase = Phase.HOLDING;
      stop();
      advance();
    }
  }

  private void commit(Command.Commit order) {
    Work of = workOf(order.update(), Phase.HELD);
    if (of == null) {
      return;
    }
    work = null;
    end(of.update(), true);
    at = of.buffer;
    update = of.update();
    version = of.order.version();
    hasVersion = true;
    torn = false;
    serve();
  }

  private void abort(Command.Abort order) {
    if (work != null && work.update().equals(order.update())) {
      drop(order.discard(), order.reason());
    } else if (!isKnown(order.update())) {
      // What begins it may come after this.
      highest = order.update();
      end(order.update(), false);
      reason = order.reason();
    }
  }

  private @Nullable Work workOf(UpdateNumber of, Phase phase) {
    return work != null && work.update().equals(of) && work.phase == phase ? work : null;
  }

  /** Ends what is pending without a flip. */
  private void drop(boolean discard, String why) {
    Work of = work;
    if (of == null) {
      return;
    }
    work = null;
    reason = why;
    end(of.update(), false);
    if (of.phase == Phase.OPENING || of.phase == Phase.OPEN) {
      actions.seal(of.buffer);
    }
    if (discard) {
      stop();
      torn |= hasVersion;
      hasVersion = false;
    } else {
      resume();
    }
    actions.dropped(of.update(), why);
  }

  void end(UpdateNumber of, boolean flipped) {
    ended.addFirst(new Report.Ended(of, flipped));
    if (ended.size() > Report.MAX_ENDED) {
      UpdateNumber lost = ended.removeLast().update();
      forgotten = lost.compareTo(forgotten) > 0 ? lost : forgotten;
    }
  }

  /** No lease of a buffer is open, and none is given. */
  void drained(int buffer) {
    if (buffer == at && hasVersion && !stopped) {
      return; // it was said before leases were given again
    }
    leased[buffer] = false;
    changed();
  }

  /** The buffer of an update can be written to. */
  void opened(UpdateNumber of, RankTarget target) {
    Work opening = workOf(of, Phase.OPENING);
    if (opening != null) {
      opening.target = target;
      opening.phase = Phase.OPEN;
      tell();
    }
  }

  /** All bytes of an update are there. */
  void filled(UpdateNumber of) {
    Work open = workOf(of, Phase.OPEN);
    if (open != null) {
      open.phase = Phase.SEALING;
      open.target = null;
      actions.seal(open.buffer);
      tell();
    }
  }

  /** The bytes of an update will not come, or are not what they should be. */
  void failed(UpdateNumber of, String why) {
    if (work != null && work.update().equals(of) && work.phase.compareTo(Phase.HOLDING) < 0) {
      drop(false, why);
      tell();
    }
  }

  /**
   * The update whose bytes are all in this buffer, while that was not said yet: nobody has asked
   * for a vote. Null if there is none.
   */
  Command.@Nullable Prepare filling(int buffer) {
    return work != null && work.phase == Phase.SEALING && work.buffer == buffer ? work.order : null;
  }

  /** Nothing can land in a buffer any more. */
  void sealed(int buffer) {
    sealed[buffer] = true;
    changed();
  }

  /** Nobody knows what may land in a buffer: this rank takes no update any more. */
  void broken(String why) {
    broken = why;
    if (work != null && work.phase != Phase.HELD) {
      drop(false, why);
    }
    tell();
  }

  /** What has begun the update that is not over; null if there is none. */
  Command.@Nullable Prepare pending() {
    return work == null ? null : work.order;
  }

  /** The controller that it obeys; null if none has said anything. */
  @Nullable P owner() {
    return owner;
  }

  /** A controller is lost; who has not voted need not wait for another one. */
  void lost(P controller) {
    if (controller.equals(owner) && work != null && mayDropAlone(work.phase)) {
      drop(false, "its controller is lost");
      tell();
    }
  }

  boolean mayDropAlone(Phase phase) {
    return phase != Phase.HELD;
  }

  /** Serves nothing any more, and says so. */
  void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    stop();
    tell();
  }

  /** Some time has passed: what was told may not have come. */
  void tick() {
    if (work != null) {
      tell();
    }
  }

  private void changed() {
    if (advance()) {
      tell();
    }
  }

  private boolean advance() {
    Work of = work;
    if (of == null) {
      return false;
    }
    boolean done =
        switch (of.phase) {
          case PREPARING -> isFree(of.buffer);
          case SEALING -> sealed[of.buffer];
          case HOLDING -> !of.order.mode().waits || !leased[at] || of.order.mode().inPlace;
          default -> false;
        };
    if (done) {
      of.phase =
          switch (of.phase) {
            case PREPARING -> Phase.PREPARED;
            case SEALING -> Phase.FILLED;
            default -> Phase.HELD;
          };
    }
    return done;
  }

  boolean isFree(int buffer) {
    return sealed[buffer] && !leased[buffer];
  }

  private void stop() {
    if (hasVersion && !stopped) {
      stopped = true;
      actions.stopLeases();
    }
  }

  private void resume() {
    if (hasVersion && stopped && !isClosed) {
      stopped = false;
      leased[at] = true;
      actions.resumeLeases();
    }
  }

  private void serve() {
    if (isClosed) {
      return; // its memory may be gone
    }
    stopped = false;
    leased[at] = true;
    actions.serve(update, version, at);
  }

  private void tell() {
    if (owner != null) {
      actions.report(owner, report());
    }
  }

  /** What it serves, and why not. */
  RankState state() {
    if (isClosed) {
      return RankState.CLOSED;
    }
    if (work != null && work.phase == Phase.HELD) {
      return RankState.UNDECIDED;
    }
    if (hasVersion) {
      return stopped ? RankState.PAUSED : RankState.SERVING;
    }
    return torn ? RankState.TORN : RankState.EMPTY;
  }

  /** Who runs an update knows its ranks; only who takes over has to be told. */
  private List<MemberId> membersOf(Work of) {
    return of.update().term().equals(heard) ? List.of() : of.order.members();
  }

  /** How it is, all of it. */
  Report report() {
    Work of = work;
    Report.Pending pending =
        of == null ? null : new Report.Pending(of.update(), of.phase, membersOf(of), of.target);
    return new Report(
        member,
        ++reports,
        heard,
        question,
        state(),
        hasVersion ? update : UpdateNumber.NONE,
        hasVersion ? version : 0,
        pending,
        List.copyOf(ended),
        forgotten,
        reason);
  }
}
