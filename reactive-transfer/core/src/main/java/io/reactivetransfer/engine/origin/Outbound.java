package io.reactivetransfer.engine.origin;

import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.engine.base.Traffic;
import io.reactivetransfer.engine.memory.ResolvedRegion;
import io.reactivetransfer.engine.memory.ResolvedRegions;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.Liveness;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.engine.peers.PeerShare;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Predicate;

/** What goes to one peer: what is on its way there, and what was given up of it. */
public final class Outbound implements PeerShare {

  final PeerLink link;
  final Traffic traffic;
  private final Submissions submissions;

  /** The target of bare immediates. */
  final ResolvedRegion doorbell;

  /** All that are on their way to it, by their streams. */
  final Chain<Lane> flights = new Chain<>();

  /** Those of them that have pieces to post. */
  final FlightQueue waiting;

  /** Whether it stands in the ring of peers with waiting flights. */
  boolean inRing;

  /** Pieces posted and not completed, over all NICs. */
  int outstanding;

  /** What they count as in bytes. */
  long outstandingBytes;

  /** What of them each NIC has. */
  final Ways ways;

  private final Timers timers;

  /** What the NICs have resolved of it. */
  final ResolvedRegions resolved;

  /** What it has revoked. */
  final Drains drains;

  /** What it has not taken note of that it will not get. */
  GivenUp givenUp;

  /**
   * With nothing in it.
   *
   * @param livenessDeadline after a quarter of which without an end a way is silent
   */
  public Outbound(
      PeerLink link, Submissions submissions, Timers timers, Nics nics, Duration livenessDeadline) {
    this.link = link;
    this.timers = timers;
    this.submissions = submissions;
    this.traffic = link.traffic();
    this.waiting = new FlightQueue(traffic, timers);
    this.doorbell = new ResolvedRegion(link, null);
    this.ways = new Ways(nics.size(), Liveness.lookNanos(livenessDeadline));
    this.resolved = new ResolvedRegions(nics);
    this.drains = new Drains(link, resolved);
    this.givenUp = new GivenUp(link);
  }

  /** What goes to this peer. */
  static Outbound to(PeerLink link) {
    return (Outbound) link.outbound();
  }

  @Override
  public boolean isDue() {
    return givenUp.hasToTell();
  }

  @Override
  public boolean tell(int theirEpoch, Predicate<ByteBuffer> post) {
    if (!post.test(ControlFrame.abort(givenUp.next(), theirEpoch))) {
      return false;
    }
    if (givenUp.sent(submissions.youngest())) {
      traffic.abortSent();
    }
    return true;
  }

  @Override
  public void tellAll() {
    givenUp.tellAll();
  }

  @Override
  public void heard() {
    givenUp.wake();
  }

  @Override
  public void unreachable() {
    givenUp.interrupted();
  }

  @Override
  public void forgotten() {
    givenUp = new GivenUp(link);
    drains.clear();
    resolved.clear();
  }

  @Override
  public boolean isWanted() {
    return flights.first() != null;
  }

  @Override
  public boolean isIdle() {
    return !inRing;
  }

  @Override
  public boolean isSettled() {
    return givenUp.isSettled();
  }

  @Override
  public boolean look(long stoodStillNanos) {
    if (outstanding > 0) {
      ways.lookForSilent(timers.turnNanos(), stoodStillNanos);
    }
    return givenUp.look();
  }

  @Override
  public String toString() {
    return link.toString();
  }
}
