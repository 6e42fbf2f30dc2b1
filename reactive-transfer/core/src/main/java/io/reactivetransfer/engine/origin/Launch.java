package io.reactivetransfer.engine.origin;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferKind;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.AfterPoll;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.engine.memory.ResolvedRegion;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.spi.Domain;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns transfers into flights, and begins them: held until their target has taken back what they
 * would complete, waiting until it has greeted, or posted at once. Belongs to the NIC thread.
 */
public final class Launch {

  private static final int NO_IMM = -1;

  private final FlightTable table;
  private final NicGroup posting;
  private final Ownership ownership;
  private final Aborts aborts;
  private final DeadlineSweep sweep;
  private final RegisteredRegion doorbell;
  private final Domain[] domains;
  private final Timers timers;
  private final Counters counters;
  private final Consumer<Outbound> crowded;
  private long round;

  /** What the last flight in rows had before; null if nothing. */
  private @Nullable RowCut unusedCut;

  /**
   * For one engine.
   *
   * @param doorbell the source of bare immediates
   * @param afterPoll when there is room made for regions of peers that have too many
   */
  public Launch(
      FlightTable table,
      NicGroup posting,
      Ownership ownership,
      FlightControl flights,
      DeadlineSweep sweep,
      RegisteredRegion doorbell,
      Nics nics,
      Timers timers,
      Counters counters,
      AfterPoll afterPoll) {
    this.table = table;
    this.posting = posting;
    this.ownership = ownership;
    this.aborts = flights.aborts();
    this.sweep = sweep;
    this.doorbell = doorbell;
    this.domains = nics.domains();
    this.timers = timers;
    this.counters = counters;
    // not now: a transfer has several targets, and has none of them in use yet
    this.crowded = peer -> afterPoll.execute(() -> flights.makeRoom(peer));
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
    if (transfer instanceof WriteImm || transfer instanceof AimedWrite) {
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
   * @param place where it stands in the window of its stream
   * @throws TransferRejectedException if it cannot be posted; then nothing was begun
   */
  void begin(Submission submission, int place, Transfer transfer) {
    TransferKind kind;
    long bytes = 0;
    if (transfer instanceof WriteImm write) {
      kind = TransferKind.WRITE_IMM;
      bytes = write.length();
      begin(submission, place, write.source(), write.target(), write.imm().value());
    } else if (transfer instanceof AimedWrite write) {
      kind = TransferKind.AIMED_WRITE;
      bytes = beginAimed(submission, place, write);
    } else if (transfer instanceof PagedWrite write) {
      kind = TransferKind.PAGED_WRITE;
      bytes = write.length();
      beginPages(submission, place, write);
    } else if (transfer instanceof Write write) {
      kind = TransferKind.WRITE;
      bytes = write.length();
      begin(submission, place, write.source(), write.target(), NO_IMM);
    } else if (transfer instanceof Scatter scatter) {
      kind = TransferKind.SCATTER;
      bytes = beginScatter(submission, place, scatter);
    } else {
      kind = TransferKind.SIGNAL;
      beginSignal(submission, place, (Signal) transfer);
    }
    counters.begun(kind, 1, bytes); // and not if it was rejected
  }

  private void begin(Submission submission, int place, MemorySlice from, RemoteSlice to, int imm) {
    Run run = run(submission, ownership.source(from), ownership.target(to), imm);
    launch(write(run, place, from.offset(), to.offset(), to.length(), imm));
  }

  /**
   * Each field is read once: whoever aims it now must not have us look at one and use another.
   *
   * @return its bytes
   */
  private long beginAimed(Submission submission, int place, AimedWrite write) {
    long from = write.sourceOffset();
    long to = write.targetOffset();
    long length = write.length();
    int imm = write.imm().value();
    PagedWrite.Rows rows = write.rows();
    GatherList list = write.list();
    RegisteredRegion source = ownership.source(write.source());
    ResolvedRegion target = ownership.target(write.target());
    RowCut cut = cutAimed(rows, list, source);
    if (cut == null) {
      long bytes = list == null ? length : 0;
      if (!isWithin(from, bytes, source.length()) || !isWithin(to, bytes, target.length())) {
        throw aimedMeanwhile(bytes + " bytes", from, to);
      }
      launch(write(run(submission, source, target, imm), place, from, to, bytes, imm));
      return bytes;
    }
    if (!isWithin(from, cut.sourceExtent(), source.length())
        || !isWithin(to, cut.targetExtent(), target.length())) {
      throw aimedMeanwhile(String.valueOf(list == null ? rows : list), from, to);
    }
    Flight flight = table.begin(run(submission, source, target, imm), place);
    flight.between(from, to);
    unusedCut = flight.cutRows(cut, imm);
    launch(flight);
    return cut.bytes();
  }

  /** How these rows are cut; null if there are none. The list says once how many it has. */
  private @Nullable RowCut cutAimed(
      PagedWrite.@Nullable Rows rows, @Nullable GatherList list, RegisteredRegion source) {
    if (list == null) {
      return rows == null ? null : posting.cutRows(unusedCut, rows, true);
    }
    int size = list.size();
    return size == 0 ? null : posting.cutGathered(unusedCut, list, size, source);
  }

  private static TransferRejectedException aimedMeanwhile(String what, long from, long to) {
    return new TransferRejectedException(
        "expected an AimedWrite that is aimed when it is not on its way, and a list that is not"
            + " changed after that, got one that was, at "
            + what
            + " from "
            + from
            + " to "
            + to);
  }

  private static boolean isWithin(long offset, long length, long all) {
    return (offset | length) >= 0 && length <= all - offset;
  }

  private Run run(Submission submission, RegisteredRegion source, ResolvedRegion target, int imm) {
    Outbound peer = resolve(target);
    aborts.requireCertain(peer, imm);
    Run run = table.run(submission, source, target);
    if (peer.link.isOpen()) {
      run.checked(round);
    }
    return run;
  }

  /**
   * Begins what comes next of a stream as long as it is like what came before: writes of one piece
   * between the same regions, with an immediate, for which the NICs have room. Nothing is looked at
   * twice for them.
   */
  void beginAlike(Submission submission, Window window) {
    Run run = submission.lanes().run();
    int left = window.given(); // before the look whether the source is closed
    if (left == 0 || run == null || !run.isClear(round) || alike(run, window) == null) {
      return;
    }
    Lane lane = run.lane();
    left = Math.min(left, Math.min(posting.beginLaunches(lane.to(), run.source()), table.room()));
    long deadlineNanos = timers.turnNanos() + lane.deadlineNanos();
    int begun = 0;
    long bytes = 0;
    try {
      while (begun < left) {
        int place = window.next();
        WriteImm write = alike(run, window);
        if (write == null) {
          break;
        }
        window.take();
        Flight flight = table.begin(run, place);
        begun++;
        bytes += write.length();
        flight.whole(write);
        flight.deadlineNanos = deadlineNanos;
        if (!posting.launchNext(flight, run)) {
          break;
        }
      }
    } finally {
      posting.endLaunches(lane.to());
      submission.begun(begun);
      counters.begun(TransferKind.WRITE_IMM, begun, bytes);
    }
  }

  /** What comes next of a stream, if it is alike; null if it is not. */
  private @Nullable WriteImm alike(Run run, Window window) {
    return window.at(window.next()) instanceof WriteImm write
            && run.isBetween(write.source().region(), write.target().region())
            && write.length() <= posting.wholeBytes()
        ? write
        : null;
  }

  /** Transfers are taken over; until that ends, nothing else happens to peers and regions. */
  void beginRound() {
    round++;
  }

  /** What the peer must greet for is resolved when it has. */
  private Outbound resolve(ResolvedRegion target) {
    Outbound to = Outbound.to(target.peer());
    to.drains.requireNotRevoked(target);
    if (to.link.isOpen() && target.resolve(domains, to.resolved)) {
      crowded.accept(to);
    }
    return to;
  }

  private void beginPages(Submission submission, int place, PagedWrite write) {
    RegisteredRegion source = ownership.source(write.source().slice());
    ResolvedRegion target = ownership.target(write.target().slice());
    Outbound to = resolve(target);
    int imm = immOf(write.imm());
    aborts.requireCertain(to, imm);
    PagedWrite.Rows rows = write.rows();
    RowCut cut = rows == null ? null : posting.cutRows(unusedCut, rows, imm != NO_IMM);
    Flight flight = table.begin(table.run(submission, source, target), place);
    flight.between(write.source().slice().offset(), write.target().slice().offset());
    if (cut == null) {
      flight.cutPages(write, posting.pagePieceBytes(write.pageLength()), imm);
    } else {
      unusedCut = flight.cutRows(write, cut, imm);
    }
    launch(flight);
  }

  /** Returns its bytes, over all parts. */
  private long beginScatter(Submission submission, int place, Scatter scatter) {
    List<Scatter.Part> parts = scatter.parts();
    requirePossible(parts.size());
    RegisteredRegion[] sources = new RegisteredRegion[parts.size()];
    for (int i = 0; i < sources.length; i++) {
      // Looked at once: another thread may close it, and when some parts are posted it is too late
      // to reject the rest.
      sources[i] = ownership.source(parts.get(i).source());
      ResolvedRegion target = ownership.target(parts.get(i).target());
      aborts.requireCertain(resolve(target), immOf(scatter.imm()));
    }
    Fan fan = new Fan(parts.size());
    int imm = immOf(scatter.imm());
    int begun = 0;
    long bytes = 0;
    try {
      for (Scatter.Part part : parts) {
        MemorySlice from = part.source();
        RemoteSlice to = part.target();
        ResolvedRegion target = ownership.target(to);
        Flight flight =
            write(
                table.run(submission, sources[begun], target),
                place,
                from.offset(),
                to.offset(),
                to.length(),
                imm);
        fan.add(flight);
        begun++;
        bytes += to.length();
        launch(flight);
      }
    } finally {
      fan.neverBegun(parts.size() - begun);
    }
    return bytes;
  }

  private void beginSignal(Submission submission, int place, Signal signal) {
    List<Peer> peers = signal.group().peers();
    requirePossible(peers.size());
    for (Peer peer : peers) {
      Outbound to = ownership.target(peer);
      resolve(to.doorbell);
      aborts.requireCertain(to, signal.imm().value());
    }
    Fan fan = peers.size() == 1 ? null : new Fan(peers.size());
    int imm = signal.imm().value();
    int begun = 0;
    try {
      for (Peer peer : peers) {
        ResolvedRegion target = ownership.target(peer).doorbell;
        Flight flight = write(table.run(submission, doorbell, target), place, 0, 0, 0, imm);
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
      Run run, int place, long sourceOffset, long targetOffset, long length, int imm) {
    Flight flight = table.begin(run, place);
    flight.between(sourceOffset, targetOffset);
    flight.cutWrite(length, posting.writePieceBytes(length, run.source()), imm);
    return flight;
  }

  private void launch(Flight flight) {
    begin(flight, flight.run());
    if (flight.to().givenUp.isEmpty() || !aborts.holds(flight)) {
      release(flight);
    }
  }

  private void begin(Flight flight, Run run) {
    if (run.flights == 1) {
      run.source().flightsBegin();
    }
    Lane lane = run.lane();
    flight.deadlineNanos = timers.turnNanos() + lane.deadlineNanos();
    sweep.launched(lane, flight.deadlineNanos);
  }

  private void release(Flight flight) {
    Outbound to = flight.to();
    if (to.link.isOpen()) {
      posting.launch(flight);
    } else {
      to.waiting.add(flight);
      to.link.mail.greet();
    }
  }

  /** A target has taken note of what it was told; false if it says otherwise. */
  public boolean acknowledged(PeerLink peer, ByteBuffer frame) {
    if (frame.remaining() != Integer.BYTES) {
      return false;
    }
    for (Flight flight : Outbound.to(peer).givenUp.acknowledged(frame.getInt())) {
      if (!flight.isStopped()) { // it may have ended in this turn, and nobody has heard of it yet
        release(flight);
      }
    }
    peer.mail.list();
    return true;
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
