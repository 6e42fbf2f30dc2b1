package io.reactivetransfer.simulation;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferRejectedException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who submitted one transfer. */
class SubmitProbe extends Probe<Transfer> {

  private final Volley volley;
  private final long deadlineNanos;
  private boolean issued;

  SubmitProbe(Node node, Volley volley, long deadlineNanos, long demand) {
    super(node, "submit", true, demand);
    this.volley = volley;
    this.deadlineNanos = deadlineNanos;
  }

  @Override
  void request(long n) {
    if (!issued && !isOver()) {
      issued = true;
      volley.issue(this);
    }
    super.request(n);
  }

  @Override
  void cancel() {
    super.cancel();
    if (volley.state() == Volley.State.OUT && isCancelled()) {
      volley.cancelled();
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the caller's own, not one that is like it
  void next(Transfer done) {
    node.world().referee().require(done == volley.transfer, this + " got another transfer");
    volley.done();
  }

  @Override
  void end(@Nullable Throwable error) {
    Referee referee = node.world().referee();
    if (error == null) {
      referee.require(volley.state() == Volley.State.DONE, this + " completed without its element");
      return;
    }
    boolean open = volley.state() == Volley.State.OUT;
    referee.require(open, this + " failed after it was done: " + error);
    referee.require(
        Verdicts.isJustified(error, node, List.of(volley), deadlineNanos),
        this + " failed for no reason: " + error);
    if (error instanceof TransferRejectedException) {
      volley.makeUnclear(); // nobody needs to tell the targets of what was never posted
    }
    volley.failed();
  }
}
