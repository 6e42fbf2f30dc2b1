package io.reactivetransfer.simulation;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import java.util.Collection;

/** Which failures of submitted transfers have a reason. */
final class Verdicts {

  private Verdicts() {}

  /** Whether one of these transfers may have failed like this. */
  static boolean isJustified(
      Throwable error, Node origin, Collection<Volley> volleys, long deadlineNanos) {
    World world = origin.world();
    if (origin.isClosing() || world.isForgiving()) {
      return true;
    }
    if (error instanceof PeerUnreachableException
        && anyTarget(volleys, target -> world.isDisturbed(origin, target))) {
      return true;
    }
    if (error instanceof PeerUnreachableException || error instanceof TransferFailedException) {
      return volleys.stream().anyMatch(it -> it.hasFailedPieces() || it.isRevoked());
    }
    if (error instanceof DeadlineExceededException) {
      return volleys.stream().anyMatch(volley -> volley.ageNanos() >= deadlineNanos);
    }
    if (error instanceof TransferRejectedException) {
      return origin.mayRefuse(error)
          || volleys.stream().anyMatch(Volley::isNeverTaken)
          || volleys.stream()
              .anyMatch(it -> it.arrivals().keySet().stream().anyMatch(Count::isDoubted))
          || origin.plots().stream().anyMatch(plot -> plot.isSource && isClosed(plot));
    }
    return false;
  }

  private static boolean isClosed(Plot plot) {
    return plot.region() != null && plot.region().isClosed();
  }

  private static boolean anyTarget(
      Collection<Volley> volleys, java.util.function.Predicate<Node> is) {
    return volleys.stream().anyMatch(volley -> volley.targets().stream().anyMatch(is));
  }
}
