package io.reactivetransfer.tools.soak;

import io.reactivetransfer.Outcome;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Submits the transfers of one round in one of the ways that there are, and notes what comes. */
final class Submitting {

  private final Round round;
  private final List<Transfer> transfers;
  private final List<TransferException> failures = new ArrayList<>();
  private long done;
  private boolean claimFails;

  Submitting(Round round, List<Transfer> transfers) {
    this.round = round;
    this.transfers = transfers;
  }

  /** Completes when all is over, whatever became of it. Cancelling it cancels all. */
  CompletableFuture<@Nullable Void> on(TransferEngine engine) {
    return outcomes(engine)
        .doOnNext(this::note)
        .onErrorResume(TransferException.class, this::noteEnd)
        .then()
        .toFuture();
  }

  private Duration delay() {
    return Duration.ofNanos(round.delayMicros() * 1_000);
  }

  private Flux<Outcome<Transfer>> outcomes(TransferEngine engine) {
    Flux<Transfer> all = Flux.fromIterable(transfers);
    boolean hurried = round.trouble() == Round.Trouble.DEADLINE;
    return switch (round.mode()) {
      case SINGLES ->
          all.flatMap(transfer ->
              (hurried ? engine.submit(transfer, delay()) : engine.submit(transfer))
                  .map(same -> new Outcome<>(same, null))
                  .onErrorResume(
                      TransferException.class, e -> Mono.just(new Outcome<>(transfer, e))));
      case STREAM ->
          (hurried ? engine.submit(all, delay()) : engine.submit(all))
              .map(same -> new Outcome<>(same, null));
      case EACH -> engine.submitEach(all);
    };
  }

  private synchronized void note(Outcome<Transfer> outcome) {
    int step = indexOf(outcome.transfer());
    TransferException failure = outcome.failure();
    if (failure == null) {
      if ((done >>> step & 1) != 0) {
        throw SoakFailure.at(round, "step " + step + " to be emitted once", "it twice", null);
      }
      done |= 1L << step;
    } else {
      failures.add(failure);
      claimFails |= round.steps().get(step).isCounted();
    }
  }

  private synchronized Mono<Outcome<Transfer>> noteEnd(TransferException failure) {
    failures.add(failure);
    return Mono.empty();
  }

  @SuppressWarnings("ReferenceEquality") // what comes back is what was submitted, and not its like
  private int indexOf(Transfer transfer) {
    for (int i = 0; i < transfers.size(); i++) {
      if (transfers.get(i) == transfer) {
        return i;
      }
    }
    throw SoakFailure.at(round, "the caller's own objects", String.valueOf(transfer), null);
  }

  synchronized List<TransferException> failures() {
    return List.copyOf(failures);
  }

  synchronized Ended ended() {
    return new Ended(round.number(), false, done, claimFails);
  }
}
