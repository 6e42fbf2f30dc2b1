package io.reactivetransfer.engine.origin;

import org.jspecify.annotations.Nullable;

/** How one stream stands: each part of it is said by one of its sides, and seen by all. */
final class StreamState {

  // upstream's

  /** Nothing more comes from it. */
  volatile boolean upstreamDone;

  /** Why, unless it is complete; set before. */
  @Nullable Throwable upstreamError;

  // downstream's

  /** It wants nothing more. */
  volatile boolean cancelled;

  // anyone's

  /** What one of them, or the other, did that it must not: it is what the stream fails with. */
  volatile @Nullable Throwable misuse;

  // the NIC thread's

  /** Nothing more of it is posted. */
  volatile boolean failed;

  /** All of it is over, nothing is out any more, and all that is to be emitted can be. */
  volatile boolean ended;

  /** Why, unless it is complete or cancelled; set before. */
  @Nullable Throwable error;

  // the signal scheduler's

  /** It has had its terminal signal. */
  volatile boolean terminated;
}
