package io.reactivetransfer.engine.origin;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.NotClosed;
import io.reactivetransfer.engine.base.Signals;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One stream of transfers as the NIC thread, which it belongs to, knows it: takes its transfers
 * from the {@link Window}, and says which are over, until all are.
 */
final class Submission {

  private final Streams streams;
  private final StreamState state;
  private final Window window;
  private final Results<?, ?> results;
  private final Emission<?> emission;
  private final long deadlineNanos;
  private final Lanes lanes = new Lanes();

  /** Its place among all that are registered. */
  final Chain.Link<Submission> place = new Chain.Link<>(this);

  /** Its place among those that wait for room. */
  final Chain.Link<Submission> stalled = new Chain.Link<>(this);

  private boolean registered;
  private @Nullable StreamCount count; // if there is a recorder
  private boolean stopping;
  private boolean closing; // it was stopped because the engine closes
  private boolean gaveUp; // some transfer was not done
  private boolean touched;
  private long serial;
  private @Nullable Step step;
  private int inFlight;

  Submission(
      Streams streams,
      StreamState state,
      Window window,
      Results<?, ?> results,
      Emission<?> emission,
      long deadlineNanos) {
    this.streams = streams;
    this.state = state;
    this.window = window;
    this.results = results;
    this.emission = emission;
    this.deadlineNanos = deadlineNanos;
  }

  /**
   * Takes over what has come.
   *
   * @return whether there is room for more; if not, it must be called again
   */
  boolean take() {
    if (!registered) {
      registered = true;
      count = streams.recording().begin();
      serial = streams.submissions().register(this);
    }
    boolean last = state.upstreamDone;
    stopIfTold(last);
    Launch launch = streams.launch();
    launch.beginRound();
    int place;
    while (!stopping && (place = window.next()) != Window.NONE) {
      Transfer transfer = transfer(place);
      if (!launch.hasRoomFor(transfer)) {
        return false;
      }
      window.take();
      begun(1);
      try {
        launch.begin(this, place, transfer);
      } catch (TransferException rejected) {
        streams.flights().rejected(this, transfer, rejected);
        transferEnded(place, rejected, false);
      }
      if (!stopping) {
        launch.beginAlike(this, window);
      }
    }
    endIfOver(last);
    return true;
  }

  /** So many more of its transfers are in flight. */
  void begun(int transfers) {
    inFlight += transfers;
    streams.counters().transfers(transfers);
  }

  /** Something of it is posted. */
  void posted() {
    if (count != null) {
      streams.recording().posted(count);
    }
  }

  /** Stops for what upstream or downstream did, if that is a reason to. */
  private void stopIfTold(boolean upstreamDone) {
    if (state.misuse != null) {
      stop(state.misuse);
    } else if (state.cancelled) {
      stop(null);
    } else if (upstreamDone && state.upstreamError != null) {
      stop(state.upstreamError);
    }
  }

  /** The transfer at a place of the window. Until it has come to its end. */
  Transfer transfer(int place) {
    return (Transfer) window.at(place);
  }

  /** A transfer has come to its end: done, failed, or stopped. */
  void transferEnded(int place, @Nullable TransferException failure, boolean reached) {
    if (reached) {
      long bytes = isCounted() ? transfer(place).length() : 0;
      window.end(place);
      transfersDone(1, bytes);
      return;
    }
    gaveUp = true;
    if (count != null) {
      count.notDone(1);
    }
    if (results.each()) {
      emitFailed(place, failure == null ? stopped() : failure);
    } else {
      window.forget(place);
      if (failure != null) {
        failed(failure);
      }
    }
    less(1);
  }

  /**
   * A transfer has failed. That is more than that the engine closes, by which nothing was touched.
   */
  private void failed(TransferException failure) {
    if (wasRejected()) {
      closing = false;
      state.error = failure;
    } else {
      stop(failure);
    }
  }

  /** Whether it ends as one of which nothing was posted, because the engine closes. */
  private boolean wasRejected() {
    return closing && state.error instanceof TransferRejectedException;
  }

  /** Whether anybody wants to know of how many bytes the transfers were that are done. */
  boolean isCounted() {
    return count != null;
  }

  /**
   * So many transfers are done, and stand in the window as ended.
   *
   * @param bytes of all of them, if that {@link #isCounted}
   */
  void transfersDone(int transfers, long bytes) {
    if (count != null) {
      count.done(transfers, bytes);
    }
    touch();
    less(transfers);
  }

  private void less(int transfers) {
    streams.counters().transfers(-transfers);
    inFlight -= transfers;
    if (inFlight == 0) {
      endIfOver(state.upstreamDone);
    }
  }

  private void emitFailed(int place, TransferException failure) {
    window.replace(place, results.failed(transfer(place), failure));
    window.end(place);
    touch();
  }

  private TransferRejectedException stopped() {
    return new TransferRejectedException("not posted, or not as a whole: " + stopReason());
  }

  /** Why transfers of this submission are given up that have not failed themselves. */
  String stopReason() {
    Throwable reason = state.error;
    return reason == null
        ? "its stream was cancelled"
        : "its stream failed: " + Signals.textOf(reason);
  }

  /** Whether the failure of one transfer leaves the others alone. */
  boolean goesOnAfterFailure() {
    return results.each();
  }

  /** Its transfers, from upstream to downstream. */
  Window window() {
    return window;
  }

  /** What is on its way of it. */
  Lanes lanes() {
    return lanes;
  }

  /** Grows from submission to submission. */
  long serial() {
    return serial;
  }

  /**
   * What its transfers that are not done have in common: the failure of the stream, that of one
   * transfer to several peers, or nothing, which is null.
   */
  @Nullable Step step(@Nullable Fan fan) {
    if (goesOnAfterFailure() && !stopping) {
      return fan == null ? null : fan.step();
    }
    if (step == null) {
      step = new Step();
    }
    return step;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  /**
   * The engine closes. What is out is waited for; if that turns out to be all, and all of it done,
   * then the stream completes: it lacks nothing.
   */
  void close(Throwable reason) {
    closing = !stopping;
    stop(reason);
  }

  /**
   * What has become of a transfer of which a part was posted, and no more because the engine
   * closes; null if that is not why.
   */
  @Nullable TransferException cutShort(Origin origin) {
    if (!closing) {
      return null;
    }
    Throwable broken = wasRejected() ? null : state.error;
    return new TransferFailedException(
        (broken == null ? "the engine closed" : Signals.textOf(broken))
            + " when only a part of the transfer had been posted",
        origin,
        broken);
  }

  /** Takes nothing more, posts nothing more; the end comes when nothing is out any more. */
  void stop(@Nullable Throwable reason) {
    if (stopping || state.ended) {
      return;
    }
    stopping = true;
    state.error = reason;
    state.failed = true;
    touch();
    streams.flights().stop(this);
    endIfOver(state.upstreamDone);
  }

  private void endIfOver(boolean upstreamDone) {
    if (upstreamDone) {
      stopIfTold(true); // it may have been told since the last look
    }
    if (stopping) {
      discardIncoming();
    }
    if (!state.ended
        && inFlight == 0
        && (stopping || (upstreamDone && window.next() == Window.NONE))
        && window.close()) {
      if (stopping) {
        discardIncoming(); // given since the last look
      }
      if (closing
          && upstreamDone
          && state.upstreamError == null
          && state.misuse == null
          && !gaveUp) {
        state.error = null;
      }
      end();
    }
  }

  private void end() {
    StreamCount ended = count;
    if (ended != null) {
      count = null;
      Throwable error = state.error;
      streams.recording().end(ended, error, error == null && state.cancelled);
    }
    state.ended = true;
    streams.submissions().unregister(this);
    touch();
  }

  /**
   * The engine has broken down, and nothing below can touch memory any more: ends it, whatever is
   * still missing.
   */
  void breakOff(Throwable reason) {
    stop(reason);
    if (!state.ended) {
      gaveUp = true;
      if (state.error == null || (wasRejected() && inFlight > 0)) {
        state.error = reason;
      }
      streams.counters().transfers(-inFlight);
      if (count != null) {
        count.notDone(inFlight);
      }
      inFlight = 0;
      window.breakOff();
      end();
    }
  }

  /** What it ends with does not say that a NIC may still be busy with it: now it does. */
  void notQuiet(NotClosed notClosed) {
    if (state.error != null) {
      state.error = notClosed.after(state.error);
    }
  }

  private void discardIncoming() {
    List<Transfer> discarded = null;
    int place;
    while ((place = window.next()) != Window.NONE) {
      Transfer dropped = transfer(place);
      window.take();
      gaveUp = true;
      streams.flights().dropped(this, dropped);
      if (results.each() && !state.cancelled && !window.isClosed()) {
        emitFailed(place, stopped());
      } else {
        window.forget(place);
        discarded = discarded == null ? new ArrayList<>() : discarded;
        discarded.add(dropped);
      }
    }
    if (discarded != null) {
      emission.discard(discarded);
    }
  }

  private void touch() {
    if (!touched) {
      touched = true;
      streams.submissions().signalLater(this);
    }
  }

  /** Has the signal scheduler emit what there is, once a turn. */
  void signal() {
    touched = false;
    emission.drain();
  }
}
