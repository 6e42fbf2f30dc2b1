package io.reactivetransfer.engine.origin;

import io.reactivetransfer.Imm;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that what is not done is not counted: has the targets take back what a flight has
 * counted whose transfer did not come to its good end, and holds what would complete it. Belongs to
 * the NIC thread.
 */
final class Aborts {

  private final Submissions submissions;
  private final Ownership ownership;
  private final BiConsumer<Flight, TransferException> fail;

  /**
   * Nothing is given up yet.
   *
   * @param fail ends a flight
   */
  Aborts(Submissions submissions, Ownership ownership, BiConsumer<Flight, TransferException> fail) {
    this.submissions = submissions;
    this.ownership = ownership;
    this.fail = fail;
  }

  /**
   * Throws if nothing may be counted there under this immediate.
   *
   * @param imm the immediate, or a negative number for none
   */
  void requireCertain(Outbound peer, int imm) {
    if (imm >= 0 && !peer.givenUp.isEmpty()) {
      requireNoDoubt(peer, imm);
    }
  }

  private void requireNoDoubt(Outbound peer, int imm) {
    String doubt = peer.givenUp.doubt(imm);
    if (doubt != null) {
      peer.link.mail.list();
      throw new TransferRejectedException(
          "immediate "
              + imm
              + " is in doubt at "
              + peer
              + ": "
              + doubt
              + "; use another one, or have the target discard() it",
          Origin.peer(peer.link.id()),
          null);
    }
  }

  /** Whether this flight is held until its target has taken back what it would complete. */
  boolean holds(Flight flight) {
    Outbound peer = flight.to();
    if (flight.imm() < 0 || peer.givenUp.isEmpty()) {
      return false;
    }
    boolean held = peer.givenUp.holds(flight);
    peer.link.mail.list();
    return held;
  }

  /** A peer has forgotten this engine: what it was told last is in doubt. */
  void begunAnew(Outbound peer) {
    for (int imm : peer.givenUp.begunAnew()) {
      String doubt = peer.givenUp.doubt(imm);
      refuseHeld(peer, imm, doubt == null ? "" : doubt);
    }
    peer.givenUp.wake();
    peer.link.mail.list();
  }

  /** A flight has ended and is not done. */
  void notDone(Flight flight) {
    if (flight.imm() < 0) {
      return;
    }
    Outbound peer = flight.to();
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
  void notDone(Fan fan, Submission submission, int imm) {
    TransferException failure = fan.failure();
    String text = failure == null ? submission.stopReason() : String.valueOf(failure.getMessage());
    for (Outbound peer : fan.counted()) {
      boolean told = !isNew(submission.step(fan), peer, imm);
      add(peer, imm, WireImm.SHARES, null, told ? null : text);
    }
  }

  /** A transfer that was taken over will not be posted, because its stream has ended. */
  void dropped(Submission submission, Transfer transfer) {
    neverBegun(submission, transfer, submission.stopReason());
  }

  /** A transfer that was taken over cannot be posted. */
  void rejected(Submission submission, Transfer transfer, TransferException reason) {
    neverBegun(submission, transfer, String.valueOf(reason.getMessage()));
  }

  /** Those of its targets that are not of this engine, for which it was rejected, are left out. */
  private void neverBegun(Submission submission, Transfer transfer, String reason) {
    Imm imm = transfer.imm();
    if (imm != null) {
      Step common = submission.step(null);
      Step step = common == null ? new Step() : common;
      ownership.ownTargets(
          transfer,
          peer -> {
            if (step.isNewTo(peer, imm.value())) {
              add(peer, imm.value(), 0, null, reason);
            }
          });
    }
  }

  private static boolean isNew(@Nullable Step step, Outbound peer, int imm) {
    return step == null || step.isNewTo(peer, imm);
  }

  private void add(
      Outbound peer, int imm, long shares, @Nullable String doubt, @Nullable String reason) {
    peer.givenUp.add(
        imm,
        shares,
        doubt == null ? null : ControlFrame.clip(doubt),
        reason == null ? null : ControlFrame.clip(reason),
        submissions.youngest());
    peer.link.used(); // held until it is told, though nobody else may hold it
    peer.link.mail.list();
    if (doubt != null) {
      refuseHeld(peer, imm, doubt);
    }
  }

  private void refuseHeld(Outbound peer, int imm, String doubt) {
    TransferRejectedException refusal =
        new TransferRejectedException(
            "immediate " + imm + " came to be in doubt at " + peer + ": " + doubt,
            Origin.peer(peer.link.id()),
            null);
    for (Flight held : peer.givenUp.refused(imm)) {
      fail.accept(held, refusal);
    }
  }
}
