package io.reactivetransfer.tools.soak;

import io.reactivetransfer.Imm;
import io.reactivetransfer.TransferFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Offers its memory round after round, and compares: what is counted, when it is counted; what was
 * reported as done, and every other page, when the origin says that the round is over.
 */
final class TargetStream {

  private final Node node;
  private final Where where;
  private final Pages pages;
  private final Immediates immediates;

  TargetStream(Node node, Arena arena, Where where) throws InterruptedException {
    this.node = node;
    this.where = where;
    this.pages = new Pages(node.engine(), arena, node.await(), where);
    this.immediates = new Immediates(node.engine(), node.await(), where);
  }

  void run() throws InterruptedException {
    boolean last = false;
    for (int number = 0; !last; number++) {
      Round round = node.round(where, number);
      if (round.renewed()) {
        pages.renew();
      }
      last = meet(round);
    }
    pages.close();
  }

  /** Returns whether there will be no more. */
  private boolean meet(Round round) throws InterruptedException {
    String place = where + ", " + round;
    Imm imm = immediates.of(round);
    Claiming claim =
        round.arrivals() == 0
            ? null
            : new Claiming(
                node.engine().counter(imm).boundTo(node.peer()),
                round.arrivals(),
                () -> verifyCounted(round));
    Ready ready = new Ready(round.number(), imm, pages.region().descriptor());
    node.letters().send(Letters.Kind.READY, where.stream(), ready.toBytes(), place);
    MemorySegment revoked = round.trouble() == Round.Trouble.REVOKED ? revoke(round, place) : null;
    Ended ended = Ended.of(node.letters().take(Letters.Kind.ENDED, where.stream(), place));
    if (ended.round() != round.number()) {
      throw SoakFailure.at(where, round.toString(), "the end of round " + ended.round(), null);
    }
    if (claim != null) {
      end(claim, round, ended, place);
    }
    if (revoked != null) {
      pages.verifySame(revoked, round);
    }
    if (ended.last()) {
      return true;
    }
    settle(round, ended, imm, place);
    return false;
  }

  private MemorySegment revoke(Round round, String place) throws InterruptedException {
    TimeUnit.MICROSECONDS.sleep(round.delayMicros());
    node.await().value(pages.region().revoke(), "revoke", place);
    return pages.copy();
  }

  /** A count is a permission to read. */
  private void verifyCounted(Round round) {
    for (Step step : round.steps()) {
      if (step.isCounted()) {
        step.targets()
            .forEach(page -> pages.verify(page, round.stampOf(page), round, "as counted"));
      }
    }
  }

  private void end(Claiming claim, Round round, Ended ended, String place)
      throws InterruptedException {
    String what = "the claim of " + round.arrivals() + " arrivals";
    if (!ended.last() && ended.areDone(round.steps().size())) {
      node.await().success(claim.end(), what, place);
    } else if (ended.claimFails()) {
      Throwable failure = node.await().anyEnd(claim.end(), what, place);
      requireTold(failure, place);
    }
    claim.drop();
  }

  private static void requireTold(@Nullable Throwable failure, String place) {
    if (failure instanceof SoakFailure wrong) {
      throw wrong;
    }
    if (failure != null && !(failure instanceof TransferFailedException)) {
      throw SoakFailure.at(
          place, "a claim that ends as its origin told", failure.toString(), failure);
    }
  }

  /** Compares all pages; those whose writes came to nothing are the target's own again. */
  private void settle(Round round, Ended ended, Imm imm, String place) throws InterruptedException {
    boolean all = ended.areDone(round.steps().size());
    if (!all && !node.isDelivered() && round.trouble() != Round.Trouble.REVOKED) {
      // a write that is done here may still be on its way there, and would change what is mended
      node.await().value(pages.region().revoke(), "revoke", place);
    }
    for (int i = 0; i < round.steps().size(); i++) {
      boolean there = ended.isDone(i) && (all || node.isDelivered());
      for (int page : round.steps().get(i).targets()) {
        if (there) {
          pages.expect(page, round.stampOf(page));
          node.tally().add(Tally.BYTES, pages.pageBytes());
        } else {
          pages.fill(page, round.mendedStampOf(page));
        }
      }
    }
    pages.verifyAll(round);
    if (!all && round.arrivals() > 0) {
      immediates.failed(imm);
    }
    node.tally().add(Tally.ROUNDS, 1);
  }
}
