package io.reactivetransfer.engine.target;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.engine.base.Deadlines;

/** What claims fail with, and what it says. */
final class ClaimFailures {

  private ClaimFailures() {}

  /** That an origin has given something up. */
  static String cause(String what, EngineId origin, String text) {
    return "a write under "
        + what
        + " was given up by its origin "
        + origin.toShortString()
        + ": "
        + text;
  }

  /** An origin has given up what the claim waits for. */
  static TransferFailedException givenUp(String text, EngineId origin) {
    return new TransferFailedException(text, Origin.peer(origin), null);
  }

  /** A peer was lost that the claim waits for. */
  static PeerUnreachableException lost(Claim claim, ImmEntry entry, PeerUnreachableException loss) {
    return new PeerUnreachableException(
        loss.getMessage() + "; " + entry.progress(claim),
        new Origin(loss.peer(), loss.nic(), loss.code()),
        loss);
  }

  /** Its deadline has passed. */
  static DeadlineExceededException overdue(Claim claim, ImmEntry entry) {
    return new DeadlineExceededException(
        "the claim was not met within "
            + Deadlines.text(claim.patienceNanos())
            + "; "
            + entry.progress(claim));
  }
}
