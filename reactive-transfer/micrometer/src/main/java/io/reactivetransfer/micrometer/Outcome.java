package io.reactivetransfer.micrometer;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineRecorder.StreamEnd;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferRejectedException;
import org.jspecify.annotations.Nullable;

/** What becomes of streams and transfers; for what fails, the cause. */
enum Outcome {
  DONE("done"),
  CANCELLED("cancelled"),

  /** Nothing of it was posted. */
  REFUSED("refused"),

  DEADLINE("deadline"),
  PEER_LOST("peer_lost"),

  /** A NIC, or the engine, could not do it, and the peer is not known to be lost. */
  LOCAL("local"),

  /** Whatever made the transfers has failed, and no transfer of the engine. */
  UPSTREAM("upstream");

  /** Of transfers that were not done in a stream that was: each has an outcome of its own. */
  static final String APART = "apart";

  /** The value of the tag. */
  final String tag;

  Outcome(String tag) {
    this.tag = tag;
  }

  static Outcome of(StreamEnd end) {
    return end.isCancelled() ? CANCELLED : of(end.failure());
  }

  static Outcome of(@Nullable Throwable failure) {
    return switch (failure) {
      case null -> DONE;
      case TransferRejectedException _ -> REFUSED;
      case DeadlineExceededException _ -> DEADLINE;
      case PeerUnreachableException _ -> PEER_LOST;
      case TransferException _ -> LOCAL;
      default -> UPSTREAM;
    };
  }
}
