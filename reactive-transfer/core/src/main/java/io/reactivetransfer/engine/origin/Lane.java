package io.reactivetransfer.engine.origin;

import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.Timers;
import org.jspecify.annotations.Nullable;

/**
 * The flights of one stream to one peer, as {@link FlightTable} links them; reused. What is common
 * to them stands here once, so that to begin a flight and to end it writes few references: each is
 * a write barrier.
 */
final class Lane {

  static final int NONE = -1;

  private @Nullable Submission submission;
  private @Nullable Outbound to;
  private long deadlineNanos;

  /** Its place among those of its stream, and among those to its peer. */
  final Chain.Link<Lane> ofSubmission = new Chain.Link<>(this);

  final Chain.Link<Lane> ofPeer = new Chain.Link<>(this);

  /** The slots of the flight that began first and of the one that began last. */
  int first = NONE;

  int last = NONE;

  /** Which of them began last, and may go on. */
  @Nullable Run run;

  /** When {@link DeadlineSweep} looks at it, if that is planned; kept when it is used again. */
  Timers.@Nullable Timer look;

  long lookAt;
  private @Nullable Runnable looking;

  /** Those of them that have pieces to post, and its neighbours; see {@link FlightQueue}. */
  @Nullable Flight head;

  @Nullable Flight tail;
  Lane previous = this;
  Lane next = this;

  void begin(Submission submission, Outbound to) {
    this.submission = submission;
    this.to = to;
    this.deadlineNanos = submission.deadlineNanos();
    submission.lanes().add(this);
    to.flights.add(ofPeer);
  }

  /** Its last flight has ended. */
  void end() {
    submission().lanes().remove(this);
    to().flights.remove(ofPeer);
    submission = null;
    to = null;
    run = null;
  }

  Submission submission() {
    return Flight.known(submission);
  }

  Outbound to() {
    return Flight.known(to);
  }

  /** What a planned look does. */
  Runnable lookWith(DeadlineSweep sweep) {
    if (looking == null) {
      looking = () -> sweep.look(this);
    }
    return looking;
  }

  /** How long each of its flights may take. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  @SuppressWarnings("ReferenceEquality") // the very same peer
  boolean leadsTo(Outbound to) {
    return this.to == to;
  }
}
