package io.reactivetransfer.simulation;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.simulation.network.FailedWrite;
import io.reactivetransfer.simulation.network.Weather;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One transfer that the engine was given, and what it does where. */
final class Volley {

  private static final long MAX_COUNTED_PIECES = 8;

  /** What its submitter was told of it. */
  enum State {
    OUT,
    DONE,
    FAILED,
    CANCELLED
  }

  /** A range of the source that nobody else uses while it is out. */
  record Source(Plot plot, int offset, int length) {}

  final Node origin;
  final Transfer transfer;
  private final Source source;
  private final List<Shot> shots;
  private final Map<Count, Integer> arrivals;
  private final Set<Node> targets;
  private final World world;
  private long issuedNanos;
  private State state = State.OUT;
  private boolean keepsSource;
  private boolean neverTaken;
  private boolean hasFailedPieces;
  private @Nullable Probe<?> submission;

  Volley(
      Node origin,
      Transfer transfer,
      Source source,
      List<Shot> shots,
      Map<Count, Integer> arrivals,
      Set<Node> targets) {
    this.origin = origin;
    this.transfer = transfer;
    this.source = source;
    this.shots = shots;
    this.arrivals = arrivals;
    this.targets = targets;
    this.world = origin.world();
  }

  /** The engine has it, by this subscription. */
  void issue(Probe<?> by) {
    submission = by;
    issuedNanos = world.referee().nanos();
    world.volleys().add(this);
    source.plot().used();
    arrivals.forEach((count, n) -> count.issued(this, n));
  }

  /** The same transfer, to be submitted once more. */
  Volley again() {
    return new Volley(origin, transfer, source, shots, arrivals, targets);
  }

  /** Whether it is to be submitted again if it fails: then its source stays as it is. */
  void keepSource(boolean keeps) {
    keepsSource = keeps;
  }

  /** Every engine must reject it. */
  Volley neverTaken() {
    neverTaken = true;
    return this;
  }

  /** Whether its rejection needs no other reason. */
  boolean isNeverTaken() {
    return neverTaken;
  }

  /** Whether a write that was failed is one of its pieces: nobody else uses its source now. */
  boolean mayBePartOf(Node target, @Nullable Plot from, FailedWrite write) {
    if (state == State.DONE || state == State.FAILED || !targets.contains(target)) {
      return false;
    }
    if (from != null) {
      return from == source.plot()
          && write.offset() >= source.offset()
          && write.offset() + write.length() <= source.offset() + source.length();
    }
    Integer imm = write.wireImm();
    return imm == null
        || arrivals.keySet().stream()
            .anyMatch(it -> it.target == target && it.imm == (imm & Imm.MAX_VALUE));
  }

  /** A NIC has failed one of its pieces. */
  void pieceFailed() {
    hasFailedPieces = true;
  }

  boolean hasFailedPieces() {
    return hasFailedPieces;
  }

  /** Whether some memory that it writes is not, or soon not, what it was made for. */
  boolean isRevoked() {
    return shots.stream().anyMatch(Shot::isRevoked);
  }

  /** How often it is counted, where. */
  Map<Count, Integer> arrivals() {
    return arrivals;
  }

  @Nullable MemoryRegion region() {
    return source.plot().region();
  }

  State state() {
    return state;
  }

  /** Whether its origin began anew with the later one, while this one was not done. */
  @SuppressWarnings("ReferenceEquality") // the very same subscription
  boolean wasFollowedBy(Volley later) {
    return origin == later.origin && submission != later.submission && state != State.DONE;
  }

  Set<Node> targets() {
    return targets;
  }

  long ageNanos() {
    return world.referee().nanos() - issuedNanos;
  }

  /** Its submitter was told that it is done. */
  void done() {
    state = State.DONE;
    world.referee().require(!neverTaken, "done, and it had to be rejected: " + transfer);
    boolean delivered = !world.forecast().weather().sourceFree();
    if (delivered) {
      land("a transfer was reported as done");
    }
    arrivals.forEach(Count::sure);
    release();
  }

  /** Everything it wrote must be there. */
  private void land(String why) {
    for (Shot shot : shots) {
      if (shot.isCurrent()) {
        shot.plot().requireThere(shot.offset(), shot.bytes(), why);
      }
    }
  }

  /**
   * It was done, and long enough ago that all must be there, unless someone was lost on the way.
   */
  void settle() {
    if (state == State.DONE && targets.stream().noneMatch(to -> world.mayLoseWrites(origin, to))) {
      land("a transfer was done long ago");
    }
  }

  /** Its last arrival was counted: what it wrote there must be visible. */
  void requireVisibleAt(Node target) {
    for (Shot shot : shots) {
      if (shot.plot().node == target && shot.isCurrent() && isCountedLast(shot)) {
        shot.plot().requireVisible(shot.offset(), shot.bytes(), "all arrivals were counted");
      }
    }
  }

  /**
   * Whether its count says that all of it is there. A write of more pieces than can be counted
   * sends some ahead, and where done means that the source is free, these may land late (1.4).
   */
  private boolean isCountedLast(Shot shot) {
    Weather weather = world.forecast().weather();
    return !weather.sourceFree()
        || shot.bytes().length <= MAX_COUNTED_PIECES * weather.maxWriteBytes();
  }

  /** Its submitter was told of a failure. */
  void failed() {
    state = State.FAILED;
    release();
  }

  /** Nobody knows what its targets were told. */
  void makeUnclear() {
    arrivals.keySet().forEach(Count::makeUnclear);
  }

  /** Its submitter wants to know nothing of it. */
  void cancelled() {
    state = State.CANCELLED;
  }

  private void release() {
    long readers =
        world.network().readersOf(source.plot().memory, source.offset(), source.length());
    if (readers > 0 && source.length() > 0) {
      world
          .referee()
          .violated(
              "a transfer of engine "
                  + origin.index()
                  + " ended as "
                  + state
                  + " while a NIC had it in flight");
    }
    boolean kept = keepsSource && state == State.FAILED;
    if (!source.plot().isFreed() && !kept) {
      source.plot().scribble(source.offset(), source.length());
    }
    if (transfer instanceof AimedWrite write && !kept) {
      origin.spares().add(write);
    }
  }
}
