package io.reactivetransfer.engine;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.IntQueue;
import io.reactivetransfer.engine.base.NotClosed;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns transfers into flights, and brings every flight to exactly one end: not before the last of
 * its posted pieces was reported, whatever happens to it meanwhile.
 *
 * <p>Whatever ends a flight only marks it as over. Its submission hears of it later in the turn, at
 * one place, {@link #endSome}: so an end never begins within another one, and many that end at once
 * are spread over turns.
 */
final class FlightControl {

  private static final int NO_IMM = -1;

  /** Ends of one turn, so that nobody else waits for long. */
  private static final int MAX_ENDS = 4_096;

  private final Worker worker;
  private final NicGroup nics;
  private final FlightTable table = new FlightTable();
  private final RegisteredRegion doorbell;
  private final DeadlineSweep sweep;

  /** Those that are over, and whose submissions have not heard of it. */
  private final IntQueue over = new IntQueue();

  private final Aborts aborts;

  FlightControl(Worker worker, NicGroup nics, RegisteredRegion doorbell) {
    this.worker = worker;
    this.nics = nics;
    this.doorbell = doorbell;
    this.sweep = new DeadlineSweep(worker, this, table);
    this.aborts = new Aborts(worker);
  }

  Aborts aborts() {
    return aborts;
  }

  int inFlight() {
    return table.inUse();
  }

  /**
   * Whether this transfer can be begun now; if not, some that are in flight must end first. What is
   * too large to be begun ever is begun, and rejected there.
   */
  boolean hasRoomFor(Transfer transfer) {
    int flights = flightsOf(transfer);
    return flights > FlightTable.MAX_FLIGHTS || table.hasRoomFor(flights);
  }

  private static int flightsOf(Transfer transfer) {
    if (transfer instanceof WriteImm) {
      return 1;
    }
    if (transfer instanceof Scatter scatter) {
      return scatter.parts().size();
    }
    return transfer instanceof Signal signal ? signal.group().size() : 1;
  }

  /**
   * Begins a transfer.
   *
   * @throws TransferRejectedException if it cannot be posted; then nothing was begun
   */
  void begin(Submission<?, ?> submission, Transfer transfer) {
    if (transfer instanceof WriteImm write) {
      begin(submission, write, write.source(), write.target(), write.imm().value());
    } else if (transfer instanceof PagedWrite write) {
      beginPages(submission, write);
    } else if (transfer instanceof Write write) {
      begin(submission, write, write.source(), write.target(), NO_IMM);
    } else if (transfer instanceof Scatter scatter) {
      beginScatter(submission, scatter);
    } else if (transfer instanceof Signal signal) {
      beginSignal(submission, signal);
    }
  }

  private void begin(
      Submission<?, ?> submission, Transfer transfer, MemorySlice from, RemoteSlice to, int imm) {
    RegisteredRegion source = Ownership.own(worker, from.region());
    ResolvedRegion target = Ownership.own(worker, to.region());
    resolve(target);
    aborts.requireCertain(target.peer(), imm);
    launch(
        write(submission, transfer, source, from.offset(), target, to.offset(), to.length(), imm));
  }

  /** What the peer must greet for is resolved when it has. */
  private void resolve(ResolvedRegion target) {
    target.peer().drains.requireNotRevoked(target);
    if (target.peer().isOpen()) {
      target.resolve(nics.domains());
    }
  }

  /** A peer revokes a region: nothing more goes there, and it is told when what is out is back. */
  void revoked(PeerLink peer, long number) {
    if (peer.drains.isUnderWay(number)) {
      return; // said twice
    }
    int[] out = new int[1];
    ofEach(
        peer.flights.first(),
        flight -> {
          ResolvedRegion target = Flight.known(flight.target);
          if (target.number() == number && !flight.isOver()) {
            if (flight.hasMoreToCome()) {
              fail(flight, peer.drains.revoked(target));
            }
            if (flight.outstanding > 0) {
              flight.drain(number);
              out[0]++;
            }
          }
        });
    peer.drains.begin(number, out[0]);
  }

  private void beginPages(Submission<?, ?> submission, PagedWrite write) {
    RegisteredRegion source = Ownership.own(worker, write.source().slice().region());
    ResolvedRegion target = Ownership.own(worker, write.target().slice().region());
    resolve(target);
    aborts.requireCertain(target.peer(), immOf(write.imm()));
    Flight flight = table.begin(submission, write, target.peer());
    flight.between(
        source, write.source().slice().offset(), target, write.target().slice().offset());
    flight.cutPages(write, nics.pagePieceBytes(write.pageLength()), immOf(write.imm()));
    launch(flight);
  }

  private void beginScatter(Submission<?, ?> submission, Scatter scatter) {
    List<Scatter.Part> parts = scatter.parts();
    requirePossible(parts.size());
    RegisteredRegion[] sources = new RegisteredRegion[parts.size()];
    for (int i = 0; i < sources.length; i++) {
      // Looked at once: another thread may close it, and when some parts are posted it is too late
      // to reject the rest.
      sources[i] = Ownership.own(worker, parts.get(i).source().region());
      ResolvedRegion target = Ownership.own(worker, parts.get(i).target().region());
      resolve(target);
      aborts.requireCertain(target.peer(), immOf(scatter.imm()));
    }
    Fan fan = new Fan(parts.size());
    int imm = immOf(scatter.imm());
    int begun = 0;
    try {
      for (Scatter.Part part : parts) {
        MemorySlice from = part.source();
        RemoteSlice to = part.target();
        ResolvedRegion target = Ownership.own(worker, to.region());
        Flight flight =
            write(
                submission,
                scatter,
                sources[begun],
                from.offset(),
                target,
                to.offset(),
                to.length(),
                imm);
        fan.add(flight);
        begun++;
        launch(flight);
      }
    } finally {
      fan.neverBegun(parts.size() - begun);
    }
  }

  private void beginSignal(Submission<?, ?> submission, Signal signal) {
    List<Peer> peers = signal.group().peers();
    requirePossible(peers.size());
    for (Peer peer : peers) {
      resolve(Ownership.own(worker, peer).doorbell());
      aborts.requireCertain(Ownership.own(worker, peer), signal.imm().value());
    }
    Fan fan = peers.size() == 1 ? null : new Fan(peers.size());
    int imm = signal.imm().value();
    int begun = 0;
    try {
      for (Peer peer : peers) {
        ResolvedRegion target = Ownership.own(worker, peer).doorbell();
        Flight flight = write(submission, signal, doorbell, 0, target, 0, 0, imm);
        if (fan != null) {
          fan.add(flight);
        }
        begun++;
        launch(flight);
      }
    } finally {
      if (fan != null) {
        fan.neverBegun(peers.size() - begun);
      }
    }
  }

  private Flight write(
      Submission<?, ?> submission,
      Transfer transfer,
      RegisteredRegion source,
      long sourceOffset,
      ResolvedRegion target,
      long targetOffset,
      long length,
      int imm) {
    Flight flight = table.begin(submission, transfer, target.peer());
    flight.between(source, sourceOffset, target, targetOffset);
    flight.cutWrite(length, nics.writePieceBytes(length), imm);
    return flight;
  }

  private void launch(Flight flight) {
    Lane lane = flight.lane();
    flight.deadlineNanos = worker.turnNanos() + lane.deadlineNanos();
    Flight.known(flight.source).flightBegan();
    sweep.launched(flight.deadlineNanos);
    if (lane.peer().givenUp.isEmpty() || !aborts.holds(flight)) {
      release(flight);
    }
  }

  private void release(Flight flight) {
    PeerLink peer = flight.peer();
    if (peer.isOpen()) {
      nics.launch(flight);
    } else {
      peer.waiting.add(flight);
      worker.mailroom().greet(peer);
    }
  }

  /** A peer has greeted, and said which NICs it has: what waits for it can be posted. */
  void opened(PeerLink peer, List<PeerNic> introduced) {
    if (!peer.introduce(introduced)) {
      worker.defect("peer " + peer + " says now that it has " + introduced.size() + " NICs");
      return;
    }
    try {
      peer.resolve(); // also if nothing waits, so that it can be given up
    } catch (TransferRejectedException e) {
      worker.defect(String.valueOf(e.getMessage()));
    }
    rerouted(peer);
    nics.admit(peer);
  }

  /** Their targets have taken back what these would have completed. */
  void released(List<Flight> flights) {
    for (Flight flight : flights) {
      if (!flight.isStopped()) { // it may have ended in this turn, and nobody has heard of it yet
        release(flight);
      }
    }
  }

  /** So many pieces of one flight are done. */
  void written(int nic, long token, int pieces) {
    Flight flight = table.find(token);
    int known = flight == null ? 0 : Math.min(pieces, flight.outstanding);
    if (known < pieces) {
      worker.defect("NIC " + nic + " reported a write that is not in flight as done");
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
  void failed(int nic, long token, int code, String text, boolean refused) {
    Flight flight = table.find(token);
    if (flight == null || flight.outstanding == 0) {
      worker.defect("NIC " + nic + " reported a write that is not in flight as failed: " + text);
      return;
    }
    boolean nicFailed = nics.hasFailed(nic) || flight.isRerouted();
    if (!refused) {
      flight.pieceInDoubt();
    }
    Origin origin = new Origin(flight.peer().id(), nics.nics().get(nic).name(), code);
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
    nics.dequeue(flight);
    flight.fail(failure);
    stopRest(flight, failure);
    landed(nic, flight, 1);
  }

  private static String again(Flight flight) {
    return flight.isInDoubt()
        ? "submit it again under another immediate, as nobody knows whether it was counted"
        : "submit it again";
  }

  private void landed(int nic, Flight flight, int pieces) {
    nics.completed(nic, flight, pieces);
    if (flight.outstanding == 0 && !flight.hasMore()) {
      settle(flight);
    }
  }

  /** Everything posted so far is back, and there is nothing more to post in this phase. */
  private void settle(Flight flight) {
    if (!flight.isStopped() && flight.enterCountedPhase()) {
      nics.enqueue(flight);
    } else {
      over(flight);
    }
  }

  private void over(Flight flight) {
    flight.setOver();
    over.add(flight.slot);
  }

  /** How many are over, and left for another turn. */
  int over() {
    return over.size();
  }

  /** Has submissions hear of their flights that are over; returns how many. */
  int endSome() {
    int ended = 0;
    while (ended < MAX_ENDS && !over.isEmpty()) {
      finish(table.at(over.take()));
      ended++;
    }
    return ended;
  }

  /** Posts nothing more of a submission. What is out comes back through {@link #written}. */
  void stop(Submission<?, ?> submission) {
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

  /** The NICs of a peer are not what they were: what goes there takes another way. */
  void rerouted(PeerLink peer) {
    ofEach(
        peer.flights.first(),
        flight -> {
          if (flight.hasMoreToCome()) {
            try {
              Flight.known(flight.target).resolve(nics.domains());
            } catch (TransferRejectedException e) {
              fail(flight, e);
            }
          }
        });
  }

  /** Posts nothing more to a peer, and fails what was on its way there. */
  void peerLost(PeerLink peer, PeerUnreachableException loss) {
    ofEach(peer.flights.first(), flight -> fail(flight, loss));
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
    Submission<?, ?> submission = flight.submission();
    Fan fan = flight.fan;
    if (!submission.goesOnAfterFailure()) {
      submission.stop(reason);
    } else if (fan != null && fan.stopsRest()) {
      fan.flights().forEach(other -> stop(other, reason));
    }
  }

  /** A transfer that was taken over cannot be posted. */
  void rejected(Submission<?, ?> submission, Transfer transfer, TransferException reason) {
    aborts.rejected(submission, transfer, reason);
  }

  /** A transfer that was taken over will not be posted. */
  void dropped(Submission<?, ?> submission, Transfer transfer) {
    aborts.dropped(submission, transfer);
  }

  /**
   * Ends all flights, whether or not their pieces came back: the NICs are closed. Each is ended,
   * even if ending another one fails.
   *
   * @param notClosed the NICs that could not be closed, which every owner of memory is told, or
   *     null if there is none
   */
  void abandon(
      TransferException reason, @Nullable NotClosed notClosed, Consumer<Throwable> failures) {
    Chain.Link<Submission<?, ?>> each = worker.submissions().first();
    for (; each != null; each = each.next()) {
      ofEach(each.member().lanes().first(), flight -> abandon(flight, reason, notClosed));
    }
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
    nics.dequeue(flight);
    if (notClosed != null && flight.outstanding > 0) {
      flight.notQuiet(notClosed);
      if (flight.fan != null) {
        flight.fan.notQuiet(notClosed);
      }
      flight.submission().notQuiet(notClosed);
    }
    flight.fail(reason);
    nics.abandoned(flight);
    over(flight);
  }

  /** A NIC may read the doorbell's memory for ever. */
  void keepMemory() {
    NotClosed.keep(doorbell.memory());
  }

  private void stop(Flight flight, @Nullable TransferException reason) {
    if (flight.isOver()) {
      return;
    }
    nics.dequeue(flight);
    if (reason == null) {
      flight.stop();
    } else {
      flight.fail(reason);
    }
    if (flight.outstanding == 0) {
      over(flight);
    }
  }

  private void finish(Flight flight) {
    Submission<?, ?> submission = flight.submission();
    Transfer transfer = flight.transfer();
    RegisteredRegion source = Flight.known(flight.source);
    if (flight.isPlain()) {
      table.release(flight);
      try {
        submission.transferDone(transfer);
      } finally {
        source.flightEnded();
      }
    } else {
      finish(flight, submission, transfer, source);
    }
  }

  private void finish(
      Flight flight, Submission<?, ?> submission, Transfer transfer, RegisteredRegion source) {
    TransferException failure = flight.failure();
    boolean done = flight.isWhole();
    Fan fan = flight.fan;
    int imm = flight.imm();
    if (!done) {
      aborts.notDone(flight);
    } else if (fan != null && imm >= 0) {
      fan.counted(flight.peer());
    }
    if (flight.drained() != 0) {
      flight.peer().drains.ended(flight.drained());
    }
    table.release(flight);
    try {
      if (fan == null) {
        submission.transferEnded(transfer, failure, done);
      } else if (fan.ended(failure, done)) {
        if (!fan.isDone()) {
          aborts.notDone(fan, submission, imm);
        }
        submission.transferEnded(transfer, fan.failure(), fan.isDone());
      }
    } finally {
      // last, because a region that is quiet now may be deregistered, and a NIC may fail to
      source.flightEnded();
    }
  }

  private static int immOf(@Nullable Imm imm) {
    return imm == null ? NO_IMM : imm.value();
  }

  private static void requirePossible(int targets) {
    if (targets > FlightTable.MAX_FLIGHTS) {
      throw new TransferRejectedException(
          "expected at most " + FlightTable.MAX_FLIGHTS + " targets at once, got " + targets);
    }
  }
}
