package io.reactivetransfer.weights.version;

import io.reactivetransfer.TraceContext;
import io.reactivetransfer.weights.version.Decisions.Answer;
import io.reactivetransfer.weights.version.UpdateResult.Decision;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a controller does, without an engine and without a clock: events come in as calls, and what
 * is to be done goes out to {@link Actions}. It does one thing at a time, and each ends with one
 * result. Not safe for two threads at once. Actions must not call back.
 */
class ControllerMachine {

  /** As many names as a reason can tell. */
  private static final int MOST_NAMES = 8;

  /** What is done for a machine. */
  interface Actions {

    /** Tell a rank. It may be lost on the way: it is told again at the next tick. */
    void send(String rank, Command command);

    /** Have the trainers write. {@link #trainersFailed} follows if they cannot. */
    void startTrainers(UpdateNumber update, List<RankTarget> targets);

    /** They need not go on. */
    void stopTrainers();

    /** What was begun has ended. */
    void done(UpdateResult result);
  }

  /**
   * What is to be done.
   *
   * @param arrivals of each rank, how many writes fill it
   * @param hasSums whether all trainers say checksums of what they write
   * @param traceContext what a tracer sends along to each rank
   */
  record Plan(
      long version,
      UpdateMode mode,
      Map<String, Long> arrivals,
      boolean hasSums,
      TraceContext traceContext) {}

  /** How far an update is. */
  private enum Stage {
    IDLE,
    TAKING,
    PREPARING,
    OPENING,
    FILLING,
    HOLDING,
    COMMITTING,
    ABORTING
  }

  /** How often one recovery outbids other controllers. */
  private static final int MAX_BIDS = 8;

  private final long id;
  private final Actions actions;
  private final Map<String, RankView> views = new LinkedHashMap<>();
  private final Decisions decisions = new Decisions();

  Term term;
  private long serial;
  private long question;
  private Stage stage = Stage.IDLE;
  private boolean mayBid;
  private int bids;
  private @Nullable Plan plan;
  private UpdateNumber update = UpdateNumber.NONE;
  private Map<String, MemberId> members = Map.of();
  private String reason = "";
  private boolean hasAskedForVotes;

  ControllerMachine(long id, Actions actions) {
    this.id = id;
    this.actions = actions;
    this.term = new Term(0, id);
  }

  /**
   * Takes over, and ends what others have left.
   *
   * @param living all ranks that may live: whoever is not named is taken for dead
   */
  void recover(Collection<String> living) {
    begin(living, null, true);
  }

  /** Has all ranks of a plan take a version, or none. */
  void update(Plan what) {
    begin(what.arrivals().keySet(), what, term.round() == 0);
  }

  private void begin(Collection<String> ranks, @Nullable Plan what, boolean takesOver) {
    if (stage != Stage.IDLE) {
      throw new IllegalStateException("expected a controller that does nothing, got " + stage);
    }
    stage = Stage.TAKING;
    plan = what;
    update = UpdateNumber.NONE;
    members = Map.of();
    reason = "";
    hasAskedForVotes = false;
    mayBid = takesOver;
    bids = 0;
    views.keySet().retainAll(Set.copyOf(ranks));
    views.values().forEach(view -> view.isLost = false);
    ranks.forEach(rank -> views.computeIfAbsent(rank, RankView::new));
    if (takesOver) {
      bid(term.round() + 1);
    } else {
      ask();
    }
  }

  void bid(long round) {
    term = new Term(round, id);
    decisions.clear();
    ask();
  }

  private void ask() {
    question++;
    views.keySet().forEach(rank -> actions.send(rank, new Command.Query(term, question)));
  }

  /** A rank has said how it is. */
  void report(Report report) {
    RankView view = views.get(report.member().name());
    if (view == null) {
      // It was in an earlier update, and may wait for its end. Whether this report is its last one
      // is not known, so nothing is taken from it but its vote.
      if (report.pending() != null && report.pending().phase() == Phase.HELD) {
        remind(report);
      }
      return;
    }
    if (!view.take(report)) {
      return;
    }
    if (report.heard().compareTo(term) > 0) {
      if (stage != Stage.IDLE && report.heard().round() == Long.MAX_VALUE) {
        reason =
            "rank "
                + view.name
                + " obeys a controller whose term is the last one there is, which none can replace:"
                + " start the rank anew";
        finish(Decision.SUPERSEDED);
      } else if (stage == Stage.TAKING && mayBid && bids < MAX_BIDS) {
        bids++;
        bid(report.heard().round() + 1);
      } else if (stage != Stage.IDLE) {
        reason = "rank " + view.name + " obeys a newer controller";
        finish(Decision.SUPERSEDED);
      }
      return;
    }
    remind(view);
    advance();
  }

  /**
   * A rank cannot be reached.
   *
   * @param why for people; empty if that is not known
   */
  void lost(String rank, String why) {
    RankView view = views.get(rank);
    if (view != null) {
      view.lost(why);
      advance();
    }
  }

  /** A rank says what nobody understands here. */
  void unreadable(String rank, String why) {
    if (!views.containsKey(rank) || stage == Stage.IDLE) {
      return;
    }
    String text = "rank " + rank + " cannot be understood: " + why;
    if (stage == Stage.TAKING) {
      reason = text;
      finish(plan == null ? Decision.BLOCKED : Decision.ABORTED);
    } else if (stage.compareTo(Stage.COMMITTING) < 0) {
      abort(text);
    }
  }

  /**
   * Whoever was asked under the name of a rank has given itself another one: that rank will never
   * answer from there. What was said before this was asked does not count.
   *
   * @param where the engine that has answered
   */
  void misnamed(String rank, Report report, String where) {
    int later = report.heard().compareTo(term);
    if (stage == Stage.TAKING
        && views.containsKey(rank)
        && (later > 0 || (later == 0 && report.question() >= question))) {
      reason =
          "rank "
              + rank
              + " is not there: the engine at "
              + where
              + " calls itself rank "
              + report.member().name();
      finish(plan == null ? Decision.BLOCKED : Decision.ABORTED);
    }
  }

  /** The trainers of an update have given up. */
  void trainersFailed(UpdateNumber of, String why) {
    if (stage == Stage.FILLING && update.equals(of)) {
      abort(why);
    }
  }

  /** It need not go on, unless it is decided. */
  void cancel(String why) {
    if (stage == Stage.TAKING) {
      reason = why;
      finish(Decision.ABORTED);
    } else if (stage.compareTo(Stage.COMMITTING) < 0 && stage != Stage.IDLE) {
      abort(why);
    }
  }

  void deadline() {
    deadline(List.of());
  }

  /**
   * Its time is over: it aborts, or, if it is decided, waits for nobody any more.
   *
   * @param trainers the names of those that have not written all
   */
  void deadline(List<String> trainers) {
    switch (stage) {
      case IDLE -> {}
      case TAKING -> {
        reason = "no answer of " + silent();
        finish(plan == null ? Decision.BLOCKED : Decision.ABORTED);
      }
      case COMMITTING -> finish(Decision.FLIPPED);
      case ABORTING -> finish(aborted());
      default -> abort("the deadline is over while waiting for " + waitedFor(trainers));
    }
  }

  private String silent() {
    return names(
        views.values().stream()
            .filter(view -> view.in(term, question) == null)
            .map(view -> "rank " + view.name)
            .toList());
  }

  private String waitedFor(List<String> trainers) {
    Phase wanted = wanted();
    String ranks =
        names(
            views.values().stream()
                .filter(view -> phase(view).compareTo(wanted) < 0)
                .map(view -> "rank " + view.name)
                .toList());
    return ranks
        + switch (wanted) {
          case PREPARED -> ", whose buffer is not free";
          case OPEN -> " to open its memory";
          case FILLED ->
              trainers.isEmpty()
                  ? ", which has not all bytes or has not looked at them; all trainers of the"
                      + " update have written: it may lack one that its table names"
                  : ", which has not all bytes, and for " + names(trainers);
          default -> " to vote";
        };
  }

  /** As many of them as a reason can tell. */
  private static String names(List<String> all) {
    String some = String.join(", ", all.subList(0, Math.min(MOST_NAMES, all.size())));
    return all.size() > MOST_NAMES ? some + " and " + (all.size() - MOST_NAMES) + " more" : some;
  }

  /** Some time has passed: what was said may not have come. */
  void tick() {
    views
        .values()
        .forEach(view -> {
          if (stage == Stage.TAKING && view.in(term, question) == null) {
            actions.send(view.name, new Command.Query(term, question));
          }
          remind(view);
          if (stage.compareTo(Stage.PREPARING) >= 0 && !isThere(view)) {
            actions.send(view.name, command(view));
          }
        });
  }

  private void remind(RankView view) {
    Report report = view.last();
    if (report != null) {
      remind(report);
    }
  }

  /** Tells a rank how an update ended that it still waits for. */
  private void remind(Report report) {
    if (report.pending() == null || !report.heard().equals(term)) {
      return;
    }
    Report.Pending pending = report.pending();
    Decisions.End end = decisions.of(pending.update());
    if (end == null) {
      return;
    }
    boolean voted = pending.phase() == Phase.HELD;
    long incarnation = report.member().incarnation();
    actions.send(
        report.member().name(),
        end == Decisions.End.COMMIT && voted
            ? new Command.Commit(term, incarnation, pending.update())
            : new Command.Abort(
                term,
                incarnation,
                pending.update(),
                end != Decisions.End.ABORT,
                reason.isEmpty() ? "its controller is gone" : reason));
  }

  private void advance() {
    switch (stage) {
      case IDLE -> {}
      case TAKING -> take();
      case COMMITTING -> {
        if (allThere()) {
          finish(Decision.FLIPPED);
        }
      }
      case ABORTING -> {
        if (allThere()) {
          finish(aborted());
        }
      }
      default -> {
        String why = failure();
        if (why != null) {
          abort(why);
        } else if (allThere()) {
          next();
        }
      }
    }
  }

  private void take() {
    boolean allHeard = true;
    RankView lost = null;
    boolean pending = false;
    boolean undecided = false;
    for (RankView view : views.values()) {
      Report report = view.in(term, question);
      if (view.isLost && plan != null) {
        lost = view;
        continue;
      }
      if (report == null) {
        allHeard = false;
      } else if (report.pending() != null) {
        pending = true;
        undecided |= !settle(report.pending());
      }
    }
    if (!allHeard || (pending && !undecided)) {
      return;
    }
    if (lost != null) {
      reason = "rank " + lost.name + " " + lost.loss();
      finish(Decision.ABORTED);
    } else if (undecided) {
      reason = "a rank has voted for an earlier update, and not all of its ranks were asked";
      finish(Decision.BLOCKED);
    } else if (plan == null) {
      finish(Decision.RECOVERED);
    } else {
      prepare();
    }
  }

  /** Decides how a pending update ends, if that can be known, and tells those who wait for it. */
  private boolean settle(Report.Pending pending) {
    UpdateNumber of = pending.update();
    if (decisions.of(of) != null) {
      return true;
    }
    if (pending.members().isEmpty()) {
      return false; // it was this controller's, which has forgotten it; a recovery is told of them
    }
    Decisions.End end = recovered(pending.members().stream().map(m -> answer(of, m)).toList());
    if (end == null) {
      return false;
    }
    decisions.put(of, end);
    views.values().forEach(this::remind);
    return true;
  }

  Decisions.@Nullable End recovered(List<Answer> answers) {
    return Decisions.recovered(answers);
  }

  private Answer answer(UpdateNumber of, MemberId member) {
    RankView view = views.get(member.name());
    if (view == null) {
      // A recovery is given all that may live; an update is not.
      return plan == null ? Answer.DEAD : Answer.UNKNOWN;
    }
    Report report = view.in(term, question);
    if (report == null) {
      return Answer.UNKNOWN;
    }
    if (!report.member().equals(member)) {
      return Answer.DEAD;
    }
    return switch (report.phase(of)) {
      case FLIPPED -> Answer.FLIPPED;
      case HELD -> Answer.VOTED;
      case FORGOTTEN -> Answer.FORGOTTEN;
      default -> Answer.NOT_VOTED;
    };
  }

  private void prepare() {
    update = UpdateNumber.of(term, nextSerial());
    Map<String, MemberId> all = new LinkedHashMap<>();
    for (RankView view : views.values()) {
      Report report = view.in(term, question);
      if (report != null) {
        all.put(view.name, report.member());
      }
    }
    members = all;
    go(Stage.PREPARING);
  }

  long nextSerial() {
    return ++serial;
  }

  private void next() {
    switch (stage) {
      case PREPARING -> go(Stage.OPENING);
      case OPENING -> {
        List<RankTarget> targets = new ArrayList<>();
        for (RankView view : views.values()) {
          Report report = view.last();
          if (report != null && report.pending() != null && report.pending().target() != null) {
            targets.add(report.pending().target());
          }
        }
        stage = Stage.FILLING;
        actions.startTrainers(update, targets);
      }
      case FILLING -> {
        hasAskedForVotes = true;
        go(Stage.HOLDING);
      }
      case HOLDING -> {
        decisions.put(update, Decisions.End.COMMIT);
        go(Stage.COMMITTING);
      }
      default -> throw new IllegalStateException("expected a stage that has a next, got " + stage);
    }
  }

  private void go(Stage to) {
    stage = to;
    views
        .values()
        .forEach(view -> {
          if (!isThere(view)) {
            actions.send(view.name, command(view));
          }
        });
    advance();
  }

  private void abort(String why) {
    reason = why;
    decisions.put(update, Decisions.End.ABORT);
    // First of all, so that no later vote of a rank turns it into a commit, whatever else fails.
    stage = Stage.ABORTING;
    actions.stopTrainers();
    go(Stage.ABORTING);
  }

  /** Once votes were asked for, an end that no rank has heard of is none. */
  private Decision aborted() {
    return hasAskedForVotes && views.values().stream().noneMatch(v -> phase(v) == Phase.ABORTED)
        ? Decision.UNKNOWN
        : Decision.ABORTED;
  }

  private void finish(Decision decision) {
    if (stage == Stage.FILLING || stage == Stage.HOLDING) {
      actions.stopTrainers();
    }
    stage = Stage.IDLE;
    Map<String, RankOutcome> ranks = new LinkedHashMap<>();
    views.values().forEach(view -> ranks.put(view.name, outcome(view)));
    actions.done(new UpdateResult(decision, update, reason, ranks));
  }

  private RankOutcome outcome(RankView view) {
    Report report = view.in(term, question);
    if (isReplaced(view)) {
      return unconfirmed(report, "it was restarted");
    }
    if (report != null && report.state() == RankState.CLOSED) {
      return unconfirmed(report, "it was closed");
    }
    // What it said before it was told of the update says nothing of how that ended there.
    boolean isUntold =
        report != null
            && members.containsKey(view.name)
            && report.phase(update).compareTo(Phase.FLIPPED) < 0;
    if (report == null || report.pending() != null || isUntold) {
      return unconfirmed(report, view.isLost ? "it " + view.loss() : "it did not say");
    }
    RankOutcome.End end =
        switch (report.state()) {
          case TORN -> RankOutcome.End.TORN;
          case EMPTY -> RankOutcome.End.EMPTY;
          default ->
              report.phase(update) == Phase.FLIPPED
                  ? RankOutcome.End.FLIPPED
                  : RankOutcome.End.KEPT;
        };
    return outcome(end, report, report.reason());
  }

  private static RankOutcome unconfirmed(@Nullable Report report, String why) {
    return outcome(RankOutcome.End.UNCONFIRMED, report, why);
  }

  private static RankOutcome outcome(RankOutcome.End end, @Nullable Report report, String text) {
    return report == null
        ? new RankOutcome(end, Optional.empty(), OptionalLong.empty(), text)
        : new RankOutcome(end, Optional.of(report.state()), report.knownVersion(), text);
  }

  /** Why an update that is not decided cannot go on; null if it can. */
  @Nullable String failure() {
    for (RankView view : views.values()) {
      String why =
          view.isLost
              ? view.loss()
              : isReplaced(view)
                  ? "was restarted"
                  : phase(view) == Phase.ABORTED || phase(view) == Phase.FORGOTTEN
                      ? "has dropped it: " + saying(view)
                      : null;
      if (why != null) {
        return "rank " + view.name + " " + why;
      }
    }
    return null;
  }

  private static String saying(RankView view) {
    Report report = view.last();
    return report == null ? "" : report.reason();
  }

  private boolean isReplaced(RankView view) {
    MemberId member = members.get(view.name);
    return member != null && view.isReplaced(member);
  }

  private Phase phase(RankView view) {
    MemberId member = members.get(view.name);
    return member == null ? Phase.NEVER : view.phase(update, member, term);
  }

  private boolean allThere() {
    return allThere(views.values().stream().filter(this::isThere).count(), views.size());
  }

  boolean allThere(long there, long all) {
    return there == all;
  }

  /** Whether a rank is as far as this stage wants it, or will not be. */
  boolean isThere(RankView view) {
    Phase phase = phase(view);
    return switch (stage) {
      case COMMITTING -> view.isLost || isReplaced(view) || phase == Phase.FLIPPED;
      case ABORTING -> view.isLost || isReplaced(view) || phase.compareTo(Phase.ABORTED) >= 0;
      case OPENING ->
          // Only while it is open it says where to write.
          phase == Phase.OPEN;
      default -> phase.compareTo(wanted()) >= 0;
    };
  }

  private Phase wanted() {
    return switch (stage) {
      case PREPARING -> Phase.PREPARED;
      case OPENING -> Phase.OPEN;
      case FILLING -> Phase.FILLED;
      default -> Phase.HELD;
    };
  }

  private Command command(RankView view) {
    MemberId member = members.get(view.name);
    Plan what = plan;
    if (member == null || what == null) {
      throw new IllegalStateException("expected a rank of update " + update + ", got " + view.name);
    }
    long to = member.incarnation();
    return switch (stage) {
      case PREPARING ->
          new Command.Prepare(
              term,
              to,
              update,
              what.version(),
              what.mode(),
              what.arrivals().getOrDefault(view.name, 0L),
              what.hasSums(),
              List.copyOf(members.values()),
              what.traceContext());
      case OPENING, FILLING -> new Command.Open(term, to, update);
      case HOLDING -> new Command.Hold(term, to, update);
      case COMMITTING -> new Command.Commit(term, to, update);
      default -> new Command.Abort(term, to, update, false, reason);
    };
  }
}
