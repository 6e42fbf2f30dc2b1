package io.reactivetransfer.tools.soak;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferFailedException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes round after round, whenever the target is ready. */
final class OriginStream {

  private final Node node;
  private final Where where;
  private final Pages pages;

  OriginStream(Node node, Arena arena, Where where) throws InterruptedException {
    this.node = node;
    this.where = where;
    this.pages = new Pages(node.engine(), arena, node.await(), where);
  }

  void run() throws InterruptedException {
    boolean last = false;
    for (int number = 0; !last; number++) {
      String place = where.round(number);
      Ready ready = Ready.of(node.letters().take(Letters.Kind.READY, where.stream(), place));
      if (ready.round() != number) {
        throw SoakFailure.at(where, "round " + number, "round " + ready.round(), null);
      }
      last = node.isOver();
      Ended ended = last ? new Ended(number, true, 0, false) : write(ready);
      node.letters().send(Letters.Kind.ENDED, where.stream(), ended.toBytes(), place);
    }
    pages.close();
  }

  private Ended write(Ready ready) throws InterruptedException {
    Round round = node.round(where, ready.round());
    RemoteRegion target = node.engine().remote(ready.region());
    round.steps().forEach(step -> fill(step, round));
    List<Transfer> transfers =
        round.steps().stream()
            .map(step -> step.transfer(pages.region(), target, pages.pageBytes(), ready.imm()))
            .toList();
    Submitting submitting = new Submitting(round, transfers);
    String place = where + ", " + round;
    CompletableFuture<@Nullable Void> end = submitting.on(node.engine());
    if (round.trouble() == Round.Trouble.CANCELLED) {
      TimeUnit.MICROSECONDS.sleep(round.delayMicros());
    }
    if (round.trouble() != Round.Trouble.CANCELLED || !end.cancel(true)) {
      node.await().success(end, "what was submitted", place);
    }
    node.await().value(pages.region().quiesced(), "quiesced", place);
    Ended ended = submitting.ended();
    judge(ended, submitting.failures(), round, place);
    return ended;
  }

  private void fill(Step step, Round round) {
    for (int i = 0; i < step.sources().size(); i++) {
      pages.fill(step.sources().get(i), round.stampOf(step.targets().get(i)));
    }
  }

  private void judge(Ended ended, List<TransferException> failures, Round round, String place) {
    for (TransferException failure : failures) {
      if (!isDueTo(round.trouble(), failure)) {
        throw SoakFailure.at(place, expected(round.trouble()), failure.toString(), failure);
      }
    }
    boolean all = ended.areDone(round.steps().size());
    if (!all && failures.isEmpty() && round.trouble() != Round.Trouble.CANCELLED) {
      throw SoakFailure.at(
          place,
          "each of " + round.steps().size() + " transfers to be done or failed",
          "an end with " + Long.bitCount(ended.done()),
          null);
    }
    node.tally().add(Tally.TRANSFERS, Long.bitCount(ended.done()));
    if (!all) {
      node.tally().add(round.trouble().toString(), 1);
    }
  }

  private static boolean isDueTo(Round.Trouble trouble, @Nullable TransferException failure) {
    return switch (trouble) {
      case NONE, CANCELLED -> false;
      case REVOKED -> failure instanceof TransferFailedException;
      case DEADLINE -> failure instanceof DeadlineExceededException;
    };
  }

  private static String expected(Round.Trouble trouble) {
    return switch (trouble) {
      case NONE -> "no failure, since nobody caused one";
      case CANCELLED -> "no failure, since a cancel signals none";
      case REVOKED -> "a TransferFailedException, since the target revokes";
      case DEADLINE -> "a DeadlineExceededException";
    };
  }
}
