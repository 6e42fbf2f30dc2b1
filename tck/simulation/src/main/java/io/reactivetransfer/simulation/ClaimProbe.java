package io.reactivetransfer.simulation;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferFailedException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Someone who claims arrivals: once, or again and again. */
class ClaimProbe extends Probe<Object> {

  private final Count count;
  private final long arrivals;
  private final boolean repeats;
  private final List<Node> bound;
  private final long patienceNanos;
  private final long begunNanos;
  private boolean wasPending;
  private boolean met;

  /**
   * Begins to claim.
   *
   * @param bound whose loss ends it
   * @param patienceNanos how long it waits, or 0
   */
  ClaimProbe(
      Count count,
      long arrivals,
      boolean repeats,
      List<Node> bound,
      long patienceNanos,
      long demand) {
    super(count.target, repeats ? "claims" : "claim", patienceNanos > 0 && !repeats, demand);
    this.count = count;
    this.arrivals = arrivals;
    this.repeats = repeats;
    this.bound = bound;
    this.patienceNanos = patienceNanos;
    this.begunNanos = node.world().referee().nanos();
    count.claimed(this);
  }

  /** What it waits for now; 0 if it was not asked for anything. */
  long arrivals() {
    return repeats && received() >= requested() ? 0 : arrivals;
  }

  /** Whether it was met as a whole. */
  boolean isMet() {
    return met;
  }

  boolean isSingle() {
    return !repeats;
  }

  @Override
  boolean mustEnd() {
    return super.mustEnd()
        || (arrivals() > 0 && bound.stream().anyMatch(it -> it.isKilled() || it.isClosing()));
  }

  /** It is given up because the run is over. */
  void giveUp() {
    wasPending = !isOver() && !repeats;
    cancel();
  }

  /** Whether it waited in the end, whoever was to write. */
  boolean wasPendingForAnyone() {
    return wasPending && bound.isEmpty();
  }

  @Override
  void next(Object round) {
    if (repeats) {
      node.world()
          .referee()
          .require(round.equals(received()), this + " did not count its rounds from 1");
      count.met(arrivals);
    }
  }

  @Override
  void end(@Nullable Throwable error) {
    if (error == null) {
      node.world().referee().require(!repeats, this + " completed and never may");
      met = true;
      count.met(arrivals);
    } else {
      node.world().referee().require(isJustified(error), this + " failed for no reason: " + error);
    }
  }

  private boolean isJustified(Throwable error) {
    if (node.isClosing() || node.world().isForgiving()) {
      return true;
    }
    if (error instanceof TransferFailedException) {
      count.aborted();
      return true; // the count knows in the end whether that was true
    }
    if (error instanceof PeerUnreachableException) {
      return bound.stream().anyMatch(peer -> node.world().isDisturbed(node, peer));
    }
    if (error instanceof DeadlineExceededException) {
      long waited = node.world().referee().nanos() - begunNanos;
      return patienceNanos > 0 && waited >= patienceNanos;
    }
    return node.mayRefuse(error);
  }
}
