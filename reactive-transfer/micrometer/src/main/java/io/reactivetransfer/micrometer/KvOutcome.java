package io.reactivetransfer.micrometer;

import io.reactivetransfer.kvcache.HandOverException;
import io.reactivetransfer.kvcache.KvRecorder.OrderEnd;
import io.reactivetransfer.kvcache.KvRecorder.RequestEnd;
import java.util.EnumSet;
import java.util.Set;

/** What becomes of orders and requests of a KV cache; of what is not done, why. */
enum KvOutcome {
  DONE("done"),

  /** An order by its own caller; a request by either side. */
  CANCELLED("cancelled"),

  /** An order, by prefill. */
  PEER_CANCELLED("peer_cancelled"),

  REFUSED("refused"),
  DEADLINE("deadline"),
  INFEASIBLE("infeasible"),
  PEER_LOST("peer_lost"),
  FAILED("failed"),

  /** What an order's own {@code onLayer} has thrown. */
  APPLICATION("application");

  static final Set<KvOutcome> OF_ORDERS = EnumSet.allOf(KvOutcome.class);

  static final Set<KvOutcome> OF_REQUESTS =
      EnumSet.of(DONE, CANCELLED, REFUSED, DEADLINE, PEER_LOST, FAILED);

  /** The value of the tag. */
  final String tag;

  KvOutcome(String tag) {
    this.tag = tag;
  }

  static KvOutcome of(OrderEnd end) {
    if (end.isCancelled()) {
      return CANCELLED;
    }
    KvOutcome outcome =
        switch (end.failure()) {
          case null -> DONE;
          case HandOverException failure -> of(failure.reason());
          default -> APPLICATION;
        };
    return outcome == CANCELLED ? PEER_CANCELLED : outcome;
  }

  static KvOutcome of(RequestEnd end) {
    HandOverException failure = end.failure();
    KvOutcome outcome = failure == null ? DONE : of(failure.reason());
    return OF_REQUESTS.contains(outcome) ? outcome : FAILED;
  }

  private static KvOutcome of(HandOverException.Reason reason) {
    return switch (reason) {
      case CANCELLED -> CANCELLED;
      case REFUSED -> REFUSED;
      case DEADLINE -> DEADLINE;
      case INFEASIBLE -> INFEASIBLE;
      case PEER_LOST -> PEER_LOST;
      case FAILED -> FAILED;
    };
  }
}
