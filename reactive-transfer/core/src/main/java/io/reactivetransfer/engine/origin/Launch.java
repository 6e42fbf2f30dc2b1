package io.reactivetransfer.engine.origin;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.engine.memory.ResolvedRegion;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.spi.Domain;
import java.nio.ByteBuffer;
import java.util.List;
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

  /**
   * For one engine.
   *
   * @param doorbell the source of bare immediates
   */
  public Launch(
      FlightTable table,
      NicGroup posting,
      Ownership ownership,
      Aborts aborts,
      DeadlineSweep sweep,
      RegisteredRegion doorbell,
      Nics nics,
      Timers timers) {
    this.table = table;
    this.posting = posting;
    this.ownership = ownership;
    this.aborts = aborts;
    this.sweep = sweep;
    this.doorbell = doorbell;
    this.domains = nics.domains();
    this.timers = timers;
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
    RegisteredRegion source = ownership.source(from);
    ResolvedRegion target = ownership.target(to);
    aborts.requireCertain(resolve(target), imm);
    launch(
        write(submission, transfer, source, from.offset(), target, to.offset(), to.length(), imm));
  }

  /** What the peer must greet for is resolved when it has. */
  private Outbound resolve(ResolvedRegion target) {
    Outbound to = Outbound.to(target.peer());
    to.drains.requireNotRevoked(target);
    if (to.link.isOpen()) {
      target.resolve(domains);
    }
    return to;
  }

  private void beginPages(Submission<?, ?> submission, PagedWrite write) {
    RegisteredRegion source = ownership.source(write.source().slice());
    ResolvedRegion target = ownership.target(write.target().slice());
    Outbound to = resolve(target);
    aborts.requireCertain(to, immOf(write.imm()));
    Flight flight = table.begin(submission, write, to);
    flight.between(
        source, write.source().slice().offset(), target, write.target().slice().offset());
    flight.cutPages(write, posting.pagePieceBytes(write.pageLength()), immOf(write.imm()));
    launch(flight);
  }

  private void beginScatter(Submission<?, ?> submission, Scatter scatter) {
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
    try {
      for (Scatter.Part part : parts) {
        MemorySlice from = part.source();
        RemoteSlice to = part.target();
        ResolvedRegion target = ownership.target(to);
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
    Flight flight = table.begin(submission, transfer, Outbound.to(target.peer()));
    flight.between(source, sourceOffset, target, targetOffset);
    flight.cutWrite(length, posting.writePieceBytes(length), imm);
    return flight;
  }

  private void launch(Flight flight) {
    Lane lane = flight.lane();
    flight.deadlineNanos = timers.turnNanos() + lane.deadlineNanos();
    Flight.known(flight.source).flightBegan();
    sweep.launched(flight.deadlineNanos);
    if (lane.to().givenUp.isEmpty() || !aborts.holds(flight)) {
      release(flight);
    }
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
