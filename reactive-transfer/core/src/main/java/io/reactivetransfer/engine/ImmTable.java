package io.reactivetransfer.engine;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts what arrives, and serves claims first come, first served. An entry exists while anything
 * of its immediate is unclaimed or anyone waits for it. Belongs to the worker.
 *
 * <p>The number of unclaimed immediates is bounded. One more is lost, and from then on every claim
 * on an immediate that the table does not know fails, because what it waits for may be what was
 * lost.
 */
final class ImmTable {

  /** So much is owed at most, whatever origins say. */
  private static final long LARGEST_DEBT = -(1L << 61);

  private final Worker worker;
  private final Counters counters;
  private final int maxUnclaimed;
  private final IntMap<ImmEntry> entries = new IntMap<>();
  private final Set<Claim> bound = new LinkedHashSet<>();
  private final AbortNotes notes = new AbortNotes();
  private final Doubts doubts = new Doubts();
  private int unclaimed;
  private long dropped;
  private int firstDropped;
  private @Nullable Throwable closed;

  ImmTable(Worker worker, int maxUnclaimed) {
    this.worker = worker;
    this.counters = worker.counters();
    this.maxUnclaimed = maxUnclaimed;
  }

  /** A piece has arrived and can be read. */
  void arrived(int wire) {
    counters.add(Counters.ARRIVALS, 1);
    if (!doubts.isEmpty() && doubts.holds(WireImm.imm(wire))) {
      return;
    }
    ImmEntry entry = entryFor(WireImm.imm(wire));
    if (entry == null) {
      return;
    }
    entry.shares += WireImm.shares(wire);
    if (entry.claims.isEmpty()) {
      if (!entry.unclaimed || entry.shares == 0) {
        review(entry); // the first of it, or the last that was owed
      }
    } else if (entry.shares >= entry.claims.element().shares()) {
      serve(entry);
    }
  }

  /**
   * An origin tells of what it gave up: takes back what that has counted, and fails those who wait
   * for the rest; if nobody does, whoever would have to wait next.
   */
  void aborted(EngineId origin, AbortFrame abort) {
    if (abort.imm() == ControlFrame.ALL_IMMS) {
      abortAll(origin, cause("many immediates", origin, abort.text()));
      return;
    }
    if (abort.has(ControlFrame.RESUMED)) {
      notes.end(abort.imm(), origin);
    }
    String cause = cause("immediate " + abort.imm(), origin, abort.text());
    if (abort.has(ControlFrame.DOUBT)) {
      doubt(abort.imm(), origin, cause);
    } else if (!doubts.holds(abort.imm())) {
      takeBack(abort.imm(), abort.shares());
      if (abort.has(ControlFrame.FAILS)) {
        boolean told = failWaiting(abort.imm(), origin, cause);
        if (!told && abort.has(ControlFrame.NOTE)) {
          notes.add(abort.imm(), origin, cause);
        }
      }
    }
  }

  private static String cause(String what, EngineId origin, String text) {
    return "a write under "
        + what
        + " was given up by its origin "
        + origin.toShortString()
        + ": "
        + text;
  }

  private void takeBack(int imm, long shares) {
    ImmEntry entry = shares == 0 ? null : entryFor(imm);
    if (entry != null) {
      entry.shares = Math.max(entry.shares - shares, LARGEST_DEBT);
      review(entry);
    }
  }

  /** Fails those that wait for this origin; says whether there were any. */
  private boolean failWaiting(int imm, EngineId origin, String cause) {
    ImmEntry entry = entries.get(imm);
    boolean told = false;
    if (entry != null) {
      for (Claim claim : List.copyOf(entry.claims)) {
        if (claim.concerns(origin) && entry.claims.contains(claim)) {
          told = true;
          fail(claim, failure(cause + "; " + entry.progress(claim), origin));
        }
      }
    }
    return told;
  }

  private static TransferFailedException failure(String text, EngineId origin) {
    return new TransferFailedException(text, Origin.peer(origin), null);
  }

  private void abortAll(EngineId origin, String cause) {
    List<ImmEntry> all = new ArrayList<>();
    entries.forEach(all::add);
    all.forEach(entry -> failWaiting(entry.imm, origin, cause));
  }

  /** Nobody knows what was counted: nothing is, until the application says that it begins anew. */
  private void doubt(int imm, EngineId origin, String cause) {
    String text =
        cause
            + "; it may have been counted or not: call discard() on the counter of immediate "
            + imm
            + " before it is used again";
    doubts.add(imm, origin, text);
    ImmEntry entry = entries.get(imm);
    if (entry != null) {
      entry.shares = 0;
      for (Claim claim : List.copyOf(entry.claims)) {
        fail(claim, failure(text, origin));
      }
      review(entry);
    }
  }

  /** Whether this origin left the immediate in doubt, and nobody has discarded. */
  boolean isInDoubt(int imm, EngineId origin) {
    return doubts.isOf(imm, origin);
  }

  /** An origin is gone for good: what it told concerns nobody any more. */
  void forget(EngineId origin) {
    notes.forget(origin);
    doubts.forget(origin);
  }

  private @Nullable ImmEntry entryFor(int imm) {
    ImmEntry entry = entries.get(imm);
    if (entry == null) {
      if (unclaimed >= maxUnclaimed) {
        drop(imm);
        return null;
      }
      entry = new ImmEntry(imm);
      entries.put(imm, entry);
    }
    return entry;
  }

  private void drop(int imm) {
    counters.add(Counters.DROPPED_IMMS, 1);
    if (dropped++ == 0) {
      firstDropped = imm;
      worker.defect(
          "the table of unclaimed immediates is full ("
              + maxUnclaimed
              + "): arrivals are lost, first of immediate "
              + imm
              + "; claim them, discard them, or raise maxUnclaimedImms");
    }
  }

  void add(Claim claim) {
    if (claim.isCancelled()) {
      return;
    }
    Throwable refusal = claim.refusal();
    if (closed != null || refusal != null) {
      claim.decide(closed != null ? closed : refusal);
      return;
    }
    String doubt = doubts.isEmpty() ? null : doubts.reason(claim);
    if (doubt != null) {
      claim.decide(new TransferFailedException(doubt, Origin.UNKNOWN, null));
      return;
    }
    ImmEntry entry = entries.get(claim.imm);
    if (entry == null) {
      if (dropped > 0) {
        claim.decide(overflow(claim.imm));
        return;
      }
      entry = new ImmEntry(claim.imm);
      entries.put(claim.imm, entry);
    }
    entry.claims.add(claim);
    counters.add(Counters.PENDING_CLAIMS, 1);
    PeerUnreachableException loss = claim.lossOfBound();
    serve(entry);
    if (!entry.claims.contains(claim)) {
      return;
    }
    AbortNotes.Note note = notes.isEmpty() ? null : notes.take(claim);
    if (note != null) {
      fail(claim, failure(note.text() + "; " + entry.progress(claim), note.origin()));
    } else if (loss != null) {
      fail(claim, lost(claim, entry, loss));
      claim.bound.forEach(worker.mailroom()::ask); // it may be back: then the next claim can wait
    } else {
      watch(claim, entry);
    }
  }

  /** It will have to wait: has what may end the waiting look after it. */
  private void watch(Claim claim, ImmEntry entry) {
    if (!claim.bound.isEmpty()) {
      bound.add(claim);
      claim.bound.forEach(peer -> peer.wanted(1));
    }
    if (claim.patienceNanos != Deadlines.NONE) {
      claim.timer =
          worker
              .timers()
              .at(
                  worker.now() + claim.patienceNanos,
                  () -> {
                    claim.timer = null;
                    fail(claim, overdue(claim, entry));
                  });
    }
  }

  /** A claim was cancelled while it waited. */
  void remove(Claim claim) {
    ImmEntry entry = entries.get(claim.imm);
    if (entry != null && entry.claims.remove(claim)) {
      left(claim);
      serve(entry);
    }
  }

  void fail(Claim claim, Throwable reason) {
    ImmEntry entry = entries.get(claim.imm);
    if (entry != null && entry.claims.remove(claim)) {
      left(claim);
      claim.decide(reason);
      serve(entry);
    }
  }

  /** A claim was cancelled after it was met and before anyone was told. */
  void giveBack(int imm, long writes) {
    if (doubts.holds(imm)) {
      return;
    }
    ImmEntry entry = entries.get(imm);
    if (entry == null) {
      entry = new ImmEntry(imm);
      entries.put(imm, entry);
    }
    entry.shares += writes * WireImm.SHARES;
    serve(entry);
  }

  /**
   * Drops what is unclaimed, what is owed, what origins told, and what is in doubt; returns how
   * many whole writes were dropped. While someone waits, nothing is unclaimed.
   */
  long discard(int imm) {
    ImmEntry entry = entries.get(imm);
    if (entry != null && !entry.claims.isEmpty()) {
      return 0;
    }
    notes.discard(imm);
    doubts.discard(imm, origin -> worker.mailroom().cleared(origin, imm));
    if (entry == null) {
      return 0;
    }
    long writes = Math.max(0, entry.shares / WireImm.SHARES);
    entry.shares = 0;
    review(entry);
    return writes;
  }

  void peerLost(PeerLink peer, PeerUnreachableException loss) {
    for (Claim claim : List.copyOf(bound)) {
      ImmEntry entry = entries.get(claim.imm);
      if (entry != null && claim.bound.contains(peer)) {
        fail(claim, lost(claim, entry, loss));
      }
    }
  }

  void close(Throwable reason) {
    closed = reason;
    List<Claim> all = new ArrayList<>();
    entries.forEach(entry -> all.addAll(entry.claims));
    all.forEach(claim -> fail(claim, reason));
  }

  private void serve(ImmEntry entry) {
    Claim claim;
    while ((claim = entry.claims.peek()) != null && entry.shares >= claim.shares()) {
      entry.claims.remove();
      left(claim);
      if (claim.decide(null)) {
        entry.shares -= claim.shares();
      }
    }
    review(entry);
  }

  private void left(Claim claim) {
    counters.add(Counters.PENDING_CLAIMS, -1);
    if (bound.remove(claim)) {
      claim.bound.forEach(peer -> peer.wanted(-1));
    }
    if (claim.timer != null) {
      worker.timers().cancel(claim.timer);
      claim.timer = null;
    }
  }

  /**
   * Brings the books up to date: whether it counts as unclaimed, and whether it is needed at all.
   */
  private void review(ImmEntry entry) {
    boolean now = entry.holdsUnclaimed();
    if (now != entry.unclaimed) {
      entry.unclaimed = now;
      unclaimed += now ? 1 : -1;
      counters.add(Counters.UNCLAIMED_IMMS, now ? 1 : -1);
    }
    if (!entry.isNeeded()) {
      entries.remove(entry.imm);
    }
  }

  private static PeerUnreachableException lost(
      Claim claim, ImmEntry entry, PeerUnreachableException loss) {
    return new PeerUnreachableException(
        loss.getMessage() + "; " + entry.progress(claim),
        new Origin(loss.peer(), loss.nic(), loss.code()),
        loss);
  }

  private static DeadlineExceededException overdue(Claim claim, ImmEntry entry) {
    return new DeadlineExceededException(
        "the claim was not met within "
            + Deadlines.text(claim.patienceNanos)
            + "; "
            + entry.progress(claim));
  }

  private TransferFailedException overflow(int imm) {
    return new TransferFailedException(
        dropped
            + " arrivals were lost because "
            + maxUnclaimed
            + " immediates were unclaimed (maxUnclaimedImms), first of immediate "
            + firstDropped
            + "; what a claim on immediate "
            + imm
            + " waits for may be among them",
        Origin.UNKNOWN,
        null);
  }
}
