package io.reactivetransfer.simulation;

import io.reactivetransfer.Outcome;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferRejectedException;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Who submitted a stream of transfers, and takes the results: at once, a few at a time, or slowly.
 */
final class StreamProbe extends Probe<Object> {

  private static final long MAX_PAUSE_NANOS = 100_000;

  private final IdentityHashMap<Transfer, Volley> out = new IdentityHashMap<>();
  private final boolean each;
  private final boolean slow;
  private final long deadlineNanos;
  private final SplittableRandom random;
  private @Nullable Upstream upstream;

  /**
   * Takes what comes.
   *
   * @param each whether it gets an outcome for each
   */
  StreamProbe(Node node, boolean each, long deadlineNanos, long demand, SplittableRandom random) {
    super(node, each ? "outcomes" : "stream", true, demand);
    this.each = each;
    this.slow = demand != ALL;
    this.deadlineNanos = deadlineNanos;
    this.random = random;
  }

  /** Upstream hands one over. */
  void issue(Volley volley) {
    out.put(volley.transfer, volley);
    volley.issue(this);
    node.world()
        .referee()
        .require(out.size() <= requested() - received(), this + " has more in flight than demand");
  }

  /** Where its transfers come from. */
  void upstream(Upstream upstream) {
    this.upstream = upstream;
  }

  private void requireUpstreamOver() {
    node.world()
        .referee()
        .require(upstream == null || upstream.isOver(), this + " ended, and upstream goes on");
  }

  int inFlight() {
    return out.size();
  }

  @Override
  void cancel() {
    super.cancel();
    if (isCancelled()) {
      requireUpstreamOver();
      out.values().forEach(Volley::cancelled);
      out.clear();
    }
  }

  @Override
  void next(Object result) {
    TransferException failure = result instanceof Outcome<?> outcome ? outcome.failure() : null;
    Object transfer = result instanceof Outcome<?> outcome ? outcome.transfer() : result;
    Volley volley = out.remove(transfer);
    if (volley == null) {
      node.world().referee().violated(this + " got a transfer that is not out");
    } else if (failure == null) {
      volley.done();
    } else {
      fail(volley, failure);
    }
    if (slow && received() == requested()) {
      node.act(random.nextLong(MAX_PAUSE_NANOS), () -> request(1 + random.nextInt(4)));
    }
  }

  private void fail(Volley volley, Throwable failure) {
    requireJustified(failure, List.of(volley));
    if (failure instanceof TransferRejectedException) {
      volley.makeUnclear();
    }
    volley.failed();
  }

  @Override
  void end(@Nullable Throwable error) {
    requireUpstreamOver();
    Referee referee = node.world().referee();
    if (error == null) {
      referee.require(out.isEmpty(), this + " completed with " + out.size() + " in flight");
      return;
    }
    if (!(error instanceof Upstream.Broken)) {
      requireJustified(error, out.values());
    }
    referee.require(
        // upstream may hand one over while it is on its way that the engine closes
        !each || out.isEmpty() || node.isClosing() || node.world().isForgiving(),
        this + " failed with " + out.size() + " that have no outcome: " + error);
    for (Volley volley : out.values()) {
      if (error instanceof TransferRejectedException) {
        volley.makeUnclear();
      }
      volley.failed();
    }
    out.clear();
  }

  private void requireJustified(Throwable error, Collection<Volley> volleys) {
    boolean closed = each && error instanceof TransferRejectedException;
    node.world()
        .referee()
        .require(
            closed || Verdicts.isJustified(error, node, volleys, deadlineNanos),
            this + " failed for no reason: " + error);
  }
}
