package io.reactivetransfer.engine.origin;

import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.NotClosed;
import io.reactivetransfer.engine.base.Recording;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.engine.memory.ResolvedRegion;
import io.reactivetransfer.engine.peers.PeerEvents;
import io.reactivetransfer.engine.peers.PeerLink;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings every flight to exactly one end: not before the last of its posted pieces was reported,
 * whatever happens to it meanwhile.
 *
 * <p>Whatever ends a flight only marks it as over: {@link FlightEnds} tells its submission later in
 * the turn. What goes another way than it went first is up to {@link Failover}.
 */
public final class FlightControl implements PeerEvents {

  private final FlightTable table;
  private final NicGroup posting;
  private final Nics nics;
  private final Submissions submissions;
  private final RegisteredRegion doorbell;
  private final Defects defects;

  private final Failover failover;
  private final Aborts aborts;
  private final FlightEnds ends;

  /**
   * For one engine.
   *
   * @param doorbell the source of bare immediates
   */
  public FlightControl(
      FlightTable table,
      NicGroup posting,
      Nics nics,
      Submissions submissions,
      Ownership ownership,
      RegisteredRegion doorbell,
      Defects defects) {
    this.table = table;
    this.posting = posting;
    this.nics = nics;
    this.submissions = submissions;
    this.doorbell = doorbell;
    this.defects = defects;
    this.failover = new Failover(nics, posting);
    this.aborts = new Aborts(submissions, ownership, this::fail);
    this.ends = new FlightEnds(table, aborts);
  }

  public Aborts aborts() {
    return aborts;
  }

  /** How many are over, and left for another turn. */
  public int over() {
    return ends.size();
  }

  /** Has submissions hear of their flights that are over; returns how many. */
  public int endSome() {
    return ends.endSome();
  }

  public int inFlight() {
    return table.inUse();
  }

  /**
   * A peer revokes a region: nothing more goes there, and it is told when what is out is back.
   * False if it says otherwise.
   */
  public boolean revoked(PeerLink peer, ByteBuffer frame) {
    if (frame.remaining() != Long.BYTES) {
      return false;
    }
    long number = frame.getLong();
    Outbound to = Outbound.to(peer);
    if (to.drains.isUnderWay(number)) {
      return true; // said twice
    }
    int[] out = new int[1];
    ofEach(
        to.flights.first(),
        flight -> {
          ResolvedRegion target = flight.run().target();
          if (target.number() == number && !flight.isOver()) {
            if (flight.hasMoreToCome()) {
              fail(flight, to.drains.revoked(target));
            }
            if (!flight.isQuiet()) {
              flight.drain(number);
              out[0]++;
            }
          }
        });
    to.drains.begin(number, out[0]);
    return true;
  }

  /** The NICs have resolved many regions of one peer: those go that nothing is on its way to. */
  void makeRoom(Outbound to) {
    Set<ResolvedRegion> inUse = new HashSet<>();
    ofEach(to.flights.first(), flight -> inUse.add(flight.run().target()));
    to.resolved.makeRoom(inUse);
  }

  @Override
  public void opened(PeerLink peer) {
    rerouted(peer);
    posting.admit(Outbound.to(peer)); // what waits for it can be posted
  }

  @Override
  public void begunAnew(PeerLink peer, PeerUnreachableException reason) {
    aborts.begunAnew(Outbound.to(peer)); // what it was told last is in doubt
  }

  /** A target's application has dropped what was in doubt; false if it says otherwise. */
  public boolean cleared(PeerLink peer, ByteBuffer frame) {
    if (frame.remaining() != 2 * Integer.BYTES) {
      return false;
    }
    Outbound.to(peer).givenUp.cleared(frame.getInt(), frame.getInt());
    return true;
  }

  /** So many pieces of one flight are done. */
  public void written(int nic, long token, int pieces) {
    Flight flight = table.find(token);
    int known = flight == null ? 0 : Math.min(pieces, flight.outstanding);
    if (known < pieces) {
      defects.report("NIC " + nic + " reported a write that is not in flight as done");
    }
    if (flight == null || known == 0) {
      return;
    }
    if (flight.peer().loss() != null) {
      flight.peer().reached();
    }
    flight.piecesWritten(known);
    landed(nic, flight, known);
  }

  /**
   * A piece has failed.
   *
   * @param refused whether its target has refused it: then it has not arrived
   */
  public void failed(int nic, long token, int code, String text, boolean refused) {
    Flight flight = table.find(token);
    if (flight == null || flight.outstanding == 0) {
      defects.report("NIC " + nic + " reported a write that is not in flight as failed: " + text);
      return;
    }
    nics.traffic(nic).failed();
    flight.peer().traffic().failed();
    boolean nicFailed = nics.hasFailed(nic) || flight.isRerouted();
    if (failover.postAgain(nic, flight, PieceToken.piece(token), refused)) {
      nics.traffic(nic).postedAgain();
      flight.peer().traffic().postedAgain();
      landed(nic, flight, 1);
      return;
    }
    if (!refused) {
      flight.pieceInDoubt(!flight.peer().isOpen() || flight.peer().isShut(nic));
    }
    Origin origin = new Origin(flight.peer().id(), nics.name(nic), code);
    TransferException failure =
        flight.peer().hasLostWay(nic)
            ? new PeerUnreachableException(
                "a write to " + flight.peer() + " failed: " + text, origin, null)
            : new TransferFailedException(
                "a write to "
                    + flight.peer()
                    + " failed: "
                    + text
                    + (nicFailed
                        ? "; that NIC is not used any more: " + Failover.advice(flight)
                        : ""),
                origin,
                null,
                nicFailed && !nics.haveAllFailed());
    if (flight.failure() == null) {
      PeerLink peer = flight.peer();
      defects.recording().tell(recorder -> recorder.transferFailed(peer, nics.nic(nic), failure));
    }
    posting.dequeue(flight);
    flight.fail(failure);
    stopRest(flight, failure);
    landed(nic, flight, 1);
  }

  /** What was held until now can go another way, or end. */
  @Override
  public void shut(PeerLink peer) {
    ofEach(
        Outbound.to(peer).flights.first(),
        flight -> {
          if (flight.mayStillArrive() && !flight.isOver()) {
            flight.waysAreShut();
            failover.resume(flight);
            endIfQuiet(flight);
          }
        });
  }

  private void landed(int nic, Flight flight, int pieces) {
    posting.completed(nic, flight, pieces);
    endIfQuiet(flight);
  }

  private void endIfQuiet(Flight flight) {
    if (flight.isQuiet()) {
      settle(flight);
    }
  }

  /** Everything posted so far is back, and there is nothing more to post in this phase. */
  private void settle(Flight flight) {
    if (!flight.isStopped() && flight.enterCountedPhase()) {
      posting.resume(flight);
    } else {
      ends.over(flight);
    }
  }

  /** Posts nothing more of a submission. What is out comes back through {@link #written}. */
  void stop(Submission submission) {
    ofEach(submission.lanes().first(), flight -> stop(flight, null));
  }

  /** Visits the flights of these lanes; those that are ended by that leave later in the turn. */
  private void ofEach(Chain.@Nullable Link<Lane> first, Consumer<Flight> visitor) {
    for (Chain.Link<Lane> each = first; each != null; each = each.next()) {
      Flight flight = table.first(each.member());
      for (; flight != null; flight = table.after(flight)) {
        visitor.accept(flight);
      }
    }
  }

  /** What goes there takes another way. */
  @Override
  public void rerouted(PeerLink peer) {
    ofEach(
        Outbound.to(peer).flights.first(),
        flight -> {
          if (flight.hasMoreToCome()) {
            TransferRejectedException unreachable = failover.resolve(flight);
            if (unreachable != null) {
              fail(flight, unreachable);
            }
          }
        });
  }

  /** Posts nothing more to a peer, and fails what was on its way there. */
  @Override
  public void lost(PeerLink peer, PeerUnreachableException loss) {
    ofEach(
        Outbound.to(peer).flights.first(),
        flight -> {
          flight.waysAreShut(); // before anything begins anew with it
          fail(flight, loss);
        });
  }

  /** Posts nothing more of a flight, and of what ends with it; it fails when nothing is out. */
  void fail(Flight flight, TransferException reason) {
    if (!flight.isOver()) {
      stop(flight, reason);
      stopRest(flight, reason);
    }
  }

  /**
   * What a failure ends beside its own flight: the whole stream, or where each transfer has an
   * outcome of its own, the transfer. At once, not when the flight has ended: nothing more of it is
   * pulled, and nothing more is posted.
   */
  private void stopRest(Flight flight, TransferException reason) {
    Submission submission = flight.submission();
    Fan fan = flight.fan;
    if (!submission.goesOnAfterFailure()) {
      submission.stop(reason);
    } else if (fan != null && fan.stopsRest()) {
      fan.flights().forEach(other -> stop(other, reason));
    }
  }

  /** A transfer that was taken over cannot be posted. */
  void rejected(Submission submission, Transfer transfer, TransferException reason) {
    Recording recording = defects.recording();
    recording.tell(recorder -> recorder.transferRejected(recording.engine(), reason));
    aborts.rejected(submission, transfer, reason);
  }

  /** A transfer that was taken over will not be posted. */
  void dropped(Submission submission, Transfer transfer) {
    aborts.dropped(submission, transfer);
  }

  /**
   * Ends all flights, whether or not their pieces came back: the NICs are closed. Each is ended,
   * even if ending another one fails.
   *
   * @param notClosed the NICs that could not be closed, which every owner of memory is told, or
   *     null if there is none
   */
  public void abandon(
      TransferException reason, @Nullable NotClosed notClosed, Consumer<Throwable> failures) {
    submissions.forEach(
        each -> ofEach(each.lanes().first(), flight -> abandon(flight, reason, notClosed)));
    while (ends.size() > 0) {
      try {
        endSome();
      } catch (Throwable failure) {
        failures.accept(failure);
      }
    }
  }

  private void abandon(Flight flight, TransferException reason, @Nullable NotClosed notClosed) {
    if (flight.isOver()) {
      return;
    }
    posting.dequeue(flight);
    if (notClosed != null && flight.outstanding > 0) {
      flight.notQuiet(notClosed);
      if (flight.fan != null) {
        flight.fan.notQuiet(notClosed);
      }
      flight.submission().notQuiet(notClosed);
    }
    flight.fail(reason);
    posting.abandoned(flight);
    ends.over(flight);
  }

  /** A NIC may read the doorbell's memory for ever. */
  public void keepMemory() {
    NotClosed.keep(doorbell.memory());
  }

  private void stop(Flight flight, @Nullable TransferException reason) {
    if (flight.isOver()) {
      return;
    }
    posting.dequeue(flight);
    if (reason == null) {
      flight.stop();
    } else {
      flight.fail(reason);
    }
    if (flight.isQuiet()) {
      ends.over(flight);
    }
  }
}
