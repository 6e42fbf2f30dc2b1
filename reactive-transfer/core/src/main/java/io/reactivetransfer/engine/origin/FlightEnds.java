package io.reactivetransfer.engine.origin;

import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.engine.base.IntQueue;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import org.jspecify.annotations.Nullable;

/**
 * The flights that are over, and whose submissions have not heard of it. They hear of it later in
 * the turn, at one place, {@link #endSome}: so an end never begins within another one, and many
 * that end at once are spread over turns. Belongs to the NIC thread.
 */
final class FlightEnds {

  /** Ends of one turn, so that nobody else waits for long. */
  private static final int MAX_ENDS = 4_096;

  private final FlightTable table;
  private final Aborts aborts;
  private final IntQueue over = new IntQueue();

  FlightEnds(FlightTable table, Aborts aborts) {
    this.table = table;
    this.aborts = aborts;
  }

  /** Nothing of it is out any more, and nothing more will be posted. */
  void over(Flight flight) {
    flight.setOver();
    over.add(flight.slot);
  }

  /** How many are over, and left for another turn. */
  int size() {
    return over.size();
  }

  /** Has submissions hear of their flights that are over; returns how many. */
  int endSome() {
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
    boolean counted = submission.isCounted();
    long bytes = 0;
    int ended = 0;
    while (ended < limit && !over.isEmpty()) {
      Flight flight = table.at(over.first());
      if (flight.run() != run || !flight.isPlain()) {
        break;
      }
      over.take();
      if (counted) {
        bytes += flight.plainLength();
      }
      window.end(flight.place());
      ended++;
      unused = table.release(flight);
    }
    try {
      submission.transfersDone(ended, bytes);
    } finally {
      ended(unused);
    }
    return ended;
  }

  private void finish(Flight flight) {
    Submission submission = flight.submission();
    int place = flight.place();
    boolean done = flight.isWhole();
    Fan fan = flight.fan;
    TransferException failure = flight.failure();
    if (failure == null && flight.isCutShort()) {
      failure = submission.cutShort(Origin.peer(flight.peer().id()));
    }
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
        failure = fan.failure();
        if (failure == null && fan.isPartDone()) {
          failure = submission.cutShort(Origin.UNKNOWN);
        }
        submission.transferEnded(place, failure, fan.isDone());
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
