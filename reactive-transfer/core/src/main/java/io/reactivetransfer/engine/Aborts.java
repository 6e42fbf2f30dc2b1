package io.reactivetransfer.engine;

import io.reactivetransfer.Imm;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.WireImm;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that what is not done is not counted: has the targets take back what a flight has
 * counted whose transfer did not come to its good end, and holds what would complete it. Belongs to
 * the worker.
 */
final class Aborts {

  private final Worker worker;

  Aborts(Worker worker) {
    this.worker = worker;
  }

  /**
   * Throws if nothing may be counted there under this immediate.
   *
   * @param imm the immediate, or a negative number for none
   */
  void requireCertain(PeerLink peer, int imm) {
    if (imm >= 0 && !peer.givenUp.isEmpty()) {
      requireNoDoubt(peer, imm);
    }
  }

  private void requireNoDoubt(PeerLink peer, int imm) {
    String doubt = peer.givenUp.doubt(imm);
    if (doubt != null) {
      worker.mailroom().abortsDue(peer);
      throw new TransferRejectedException(
          "immediate "
              + imm
              + " is in doubt at "
              + peer
              + ": "
              + doubt
              + "; use another one, or have the target discard() it",
          Origin.peer(peer.id()),
          null);
    }
  }

  /** Whether this flight is held until its target has taken back what it would complete. */
  boolean holds(Flight flight) {
    PeerLink peer = flight.peer();
    if (flight.imm() < 0 || peer.givenUp.isEmpty()) {
      return false;
    }
    boolean held = peer.givenUp.holds(flight);
    worker.mailroom().abortsDue(peer);
    return held;
  }

  /** A peer has forgotten this engine: what it was told last is in doubt. */
  void begunAnew(PeerLink peer) {
    for (int imm : peer.givenUp.begunAnew()) {
      String doubt = peer.givenUp.doubt(imm);
      refuseHeld(peer, imm, doubt == null ? "" : doubt);
    }
    peer.givenUp.wake();
    worker.mailroom().abortsDue(peer);
  }

  /** A flight has ended and is not done. */
  void notDone(Flight flight) {
    if (flight.imm() < 0) {
      return;
    }
    PeerLink peer = flight.peer();
    peer.givenUp.release(flight);
    String doubt = flight.isInDoubt() ? reason(flight) : null;
    Step step = flight.submission().step(flight.fan);
    String reason = isNew(step, peer, flight.imm()) ? reason(flight) : null;
    add(peer, flight.imm(), flight.countedShares(), doubt, reason);
  }

  private static String reason(Flight flight) {
    TransferException failure = flight.failure();
    return failure == null
        ? flight.submission().stopReason()
        : String.valueOf(failure.getMessage());
  }

  /** A transfer to several has failed: the parts that are done count no more than the others. */
  void notDone(Fan fan, Submission<?, ?> submission, int imm) {
    TransferException failure = fan.failure();
    String text = failure == null ? submission.stopReason() : String.valueOf(failure.getMessage());
    for (PeerLink peer : fan.counted()) {
      boolean told = !isNew(submission.step(fan), peer, imm);
      add(peer, imm, WireImm.SHARES, null, told ? null : text);
    }
  }

  /** A transfer that was taken over will not be posted, because its stream has ended. */
  void dropped(Submission<?, ?> submission, Transfer transfer) {
    neverBegun(submission, transfer, submission.stopReason());
  }

  /** A transfer that was taken over cannot be posted. */
  void rejected(Submission<?, ?> submission, Transfer transfer, TransferException reason) {
    neverBegun(submission, transfer, String.valueOf(reason.getMessage()));
  }

  /** Those of its targets that are not of this engine, for which it was rejected, are left out. */
  private void neverBegun(Submission<?, ?> submission, Transfer transfer, String reason) {
    Imm imm = transfer.imm();
    if (imm != null) {
      Step common = submission.step(null);
      Step step = common == null ? new Step() : common;
      Ownership.ownTargets(
          worker,
          transfer,
          peer -> {
            if (step.isNewTo(peer, imm.value())) {
              add(peer, imm.value(), 0, null, reason);
            }
          });
    }
  }

  private static boolean isNew(@Nullable Step step, PeerLink peer, int imm) {
    return step == null || step.isNewTo(peer, imm);
  }

  private void add(
      PeerLink peer, int imm, long shares, @Nullable String doubt, @Nullable String reason) {
    peer.givenUp.add(
        imm,
        shares,
        doubt == null ? null : ControlFrame.clip(doubt),
        reason == null ? null : ControlFrame.clip(reason),
        worker.youngestSubmission());
    worker.mailroom().abortsDue(peer);
    if (doubt != null) {
      refuseHeld(peer, imm, doubt);
    }
  }

  private void refuseHeld(PeerLink peer, int imm, String doubt) {
    TransferRejectedException refusal =
        new TransferRejectedException(
            "immediate " + imm + " came to be in doubt at " + peer + ": " + doubt,
            Origin.peer(peer.id()),
            null);
    for (Flight held : peer.givenUp.refused(imm)) {
      worker.flights().fail(held, refusal);
    }
  }
}
