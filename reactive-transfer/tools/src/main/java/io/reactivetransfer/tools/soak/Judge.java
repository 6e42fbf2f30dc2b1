package io.reactivetransfer.tools.soak;

import io.reactivetransfer.TransferException;
import java.util.concurrent.CompletableFuture;

/** Keeps the first promise that was broken while two engines worked. */
final class Judge {

  private final CompletableFuture<SoakFailure> verdict = new CompletableFuture<>();
  private final Where where;

  Judge(Where where) {
    this.where = where;
  }

  /** Completes with the first one. */
  CompletableFuture<SoakFailure> verdict() {
    return verdict;
  }

  boolean isOver() {
    return verdict.isDone();
  }

  void broken(SoakFailure failure) {
    verdict.complete(failure);
  }

  /** Something ended that was not to end. */
  void unexpected(String expected, Throwable came) {
    broken(
        came instanceof SoakFailure failure
            ? failure
            : SoakFailure.at(where, expected, came.toString(), came));
  }

  /** Does something that may find a promise broken. */
  void check(Runnable what) {
    try {
      what.run();
    } catch (SoakFailure | TransferException e) {
      unexpected("no failure", e);
    }
  }
}
