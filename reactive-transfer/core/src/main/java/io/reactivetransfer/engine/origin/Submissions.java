package io.reactivetransfer.engine.origin;

import io.reactivetransfer.TransferException;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.Closing;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.base.Owner;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/** The streams of one engine, and whose turn it is. Belongs to the NIC thread. */
public final class Submissions {

  /** Streams that are had signalled in one turn. */
  private static final int MAX_SIGNALS = 4_096;

  /** Streams of one turn that wait for room, and do not get it. */
  private static final int MAX_STALLED = 64;

  private final Owner owner;
  private final Closing closing;
  private final Chain<Submission> all = new Chain<>();
  private final Chain<Submission> stalled = new Chain<>();
  private final ArrayDeque<Submission> signalling = new ArrayDeque<>();
  private long youngest;

  public Submissions(Owner owner, Closing closing) {
    this.owner = owner;
    this.closing = closing;
  }

  /** Returns its number: a younger one has a higher one. */
  long register(Submission submission) {
    assert owner.isCurrent();
    all.add(submission.place);
    long serial = ++youngest;
    if (closing.isBegun()) {
      submission.close(Admission.closedError());
    }
    return serial;
  }

  /** The number of the one that was registered last. */
  long youngest() {
    return youngest;
  }

  void unregister(Submission submission) {
    assert owner.isCurrent();
    all.remove(submission.place);
    stalled.remove(submission.stalled);
  }

  /** Visits all, of which each may leave meanwhile. */
  void forEach(Consumer<Submission> visitor) {
    assert owner.isCurrent();
    Chain.Link<Submission> each = all.first();
    while (each != null) {
      Submission submission = each.member();
      each = each.next(); // before, because it may leave
      visitor.accept(submission);
    }
  }

  /** Takes over what has come of one. */
  void takeFrom(Submission submission) {
    assert owner.isCurrent();
    stalled.remove(submission.stalled);
    if (!submission.take()) {
      stalled.add(submission.stalled);
    }
  }

  /** Takes over what has come of those that wait for room. */
  public void takeFromStalled() {
    Chain.Link<Submission> first;
    Chain.Link<Submission> again = null;
    int tries = MAX_STALLED;
    while (tries > 0 && (first = stalled.first()) != null && first != again) {
      stalled.remove(first);
      if (!first.member().take()) {
        stalled.add(first);
        again = again == null ? first : again;
        tries--;
      }
    }
  }

  // ---- signals ----

  /** Has this one signalled at the end of the turn. */
  void signalLater(Submission submission) {
    assert owner.isCurrent();
    signalling.add(submission);
  }

  /** Signals to some; returns how many are left. */
  public int signalSome() {
    signal(MAX_SIGNALS);
    return signalling.size();
  }

  /** Signals to all. */
  public void signalAll() {
    signal(Integer.MAX_VALUE);
  }

  /** Signals to all, whatever happens with some. */
  public void signalAll(Defects defects) {
    while (!signalling.isEmpty()) {
      defects.attempt("signalling", this::signalAll);
    }
  }

  private void signal(int limit) {
    Submission submission;
    for (int i = 0; i < limit && (submission = signalling.poll()) != null; i++) {
      submission.signal();
    }
  }

  // ---- their end ----

  /** The engine closes. */
  public void close(TransferException reason, Defects defects) {
    forEach(each -> defects.attempt("closing a stream", () -> each.close(reason)));
  }

  /** Those that are still there lack what can never come, because something failed. */
  public void breakOff(TransferException reason, Defects defects) {
    forEach(each -> defects.attempt("ending a stream", () -> each.breakOff(reason)));
  }
}
