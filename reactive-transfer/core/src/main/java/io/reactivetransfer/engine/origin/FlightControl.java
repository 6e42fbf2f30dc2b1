package io.reactivetransfer.engine.origin;

import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.base.IntQueue;
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
 * <p>Whatever ends a flight only marks it as over. Its submission hears of it later in the turn, at
 * one place, {@link #endSome}: so an end never begins within another one, and many that end at once
 * are spread over turns.
 */
public final class FlightControl implements PeerEvents {

  /** Ends of one turn, so that nobody else waits for long. */
  private static final int MAX_ENDS = 4_096;

  private final FlightTable table;
  private final NicGroup posting;
  private final Nics nics;
  private final Submissions submissions;
  private final RegisteredRegion doorbell;
  private final Defects defects;

  /** Those that are over, and whose submissions have not heard of it. */
  private final IntQueue over = new IntQueue();

  private final Aborts aborts;

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
    this.aborts = new Aborts(submissions, ownership, this::fail);
  }

  public Aborts aborts() {
    return aborts;
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
    if (postAgain(nic, flight, PieceToken.piece(token), refused)) {
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
                    + (nicFailed ? "; that NIC is not used any more: " + again(flight) : ""),
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

  /**
   * The way of a piece is lost: another one is taken, if it is certain that the piece never
   * arrives, or when that is so. One that is counted may have been.
   */
  private boolean postAgain(int nic, Flight flight, int piece, boolean refused) {
    PeerLink peer = flight.peer();
    boolean shut = peer.isShut(nic);
    boolean lost = nics.hasFailed(nic) || flight.isRerouted() || peer.hasLostWay(nic) || !shut;
    if (!lost
        || flight.isStopped()
        || flight.drained() != 0
        || !peer.isOpen()
        || !peer.hasOtherWays()
        || !(refused || !flight.pieceHasImm())
        || !isResolved(flight)
        || !flight.postAgain(piece, refused || shut)) {
      return false;
    }
    resume(flight);
    return true;
  }

  /** Its peer may have other NICs since all of a flight was posted there. */
  private boolean isResolved(Flight flight) {
    try {
      var _ = flight.run().target().resolve(nics.domains(), flight.to().resolved);
      return true;
    } catch (TransferRejectedException e) {
      return false;
    }
  }

  private void resume(Flight flight) {
    if (!flight.queued && flight.hasMore()) {
      posting.resume(flight);
    }
  }

  /** What was held until now can go another way, or end. */
  @Override
  public void shut(PeerLink peer) {
    ofEach(
        Outbound.to(peer).flights.first(),
        flight -> {
          if (flight.mayStillArrive() && !flight.isOver()) {
            flight.waysAreShut();
            resume(flight);
            endIfQuiet(flight);
          }
        });
  }

  private static String again(Flight flight) {
    return flight.isInDoubt()
        ? "submit it again under another immediate, as nobody knows whether it was counted"
        : "submit it again";
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
      over(flight);
    }
  }

  private void over(Flight flight) {
    flight.setOver();
    over.add(flight.slot);
  }

  /** How many are over, and left for another turn. */
  public int over() {
    return over.size();
  }

  /** Has submissions hear of their flights that are over; returns how many. */
  public int endSome() {
    int ended = 0;
    while (ended < MAX_ENDS && !over.isEmpty()) {
      Flight flight = table.at(over.first());
      if (flight.isPlain()) {
        ended += finishAlike(flight.run(), MAX_ENDS - ended);
      } else {
        over.take();
        finish(flight);
        ended++;
      }
    }
    return ended;
  }

  /** Ends those of one run that come next and are plain; returns how many. */
  @SuppressWarnings("ReferenceEquality") // the very same run
  private int finishAlike(Run run, int limit) {
    Submission submission = run.lane().submission();
    Window window = submission.window();
    RegisteredRegion unused = null;
    int ended = 0;
    while (ended < limit && !over.isEmpty()) {
      Flight flight = table.at(over.first());
      if (flight.run() != run || !flight.isPlain()) {
        break;
      }
      over.take();
      submission.recordDone(flight.place());
      window.end(flight.place());
      ended++;
      unused = table.release(flight);
    }
    try {
      submission.transfersDone(ended);
    } finally {
      ended(unused);
    }
    return ended;
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
            try {
              flight.run().target().resolve(nics.domains(), flight.to().resolved);
            } catch (TransferRejectedException e) {
              fail(flight, e);
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
    while (!over.isEmpty()) {
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
    over(flight);
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
      over(flight);
    }
  }

  private void finish(Flight flight) {
    Submission submission = flight.submission();
    int place = flight.place();
    TransferException failure = flight.failure();
    boolean done = flight.isWhole();
    Fan fan = flight.fan;
    int imm = flight.imm();
    if (!done) {
      aborts.notDone(flight);
    } else if (fan != null && imm >= 0) {
      fan.counted(flight.to());
    }
    if (flight.drained() != 0) {
      flight.to().drains.ended(flight.drained());
    }
    RegisteredRegion unused = table.release(flight);
    try {
      if (fan == null) {
        submission.transferEnded(place, failure, done);
      } else if (fan.ended(failure, done)) {
        if (!fan.isDone()) {
          aborts.notDone(fan, submission, imm);
        }
        submission.transferEnded(place, fan.failure(), fan.isDone());
      }
    } finally {
      ended(unused);
    }
  }

  /** Last, because a region that is quiet now may be deregistered, and a NIC may fail to. */
  private static void ended(@Nullable RegisteredRegion unused) {
    if (unused != null) {
      unused.flightsEnded();
    }
  }
}
