package io.reactivetransfer.engine;

import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
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

  private static final class Entry {
    final int imm;
    final ArrayDeque<Claim> claims = new ArrayDeque<>(2);
    long shares;
    boolean unclaimed;

    Entry(int imm) {
      this.imm = imm;
    }
  }

  private final Worker worker;
  private final Counters counters;
  private final int maxUnclaimed;
  private final IntMap<Entry> entries = new IntMap<>();
  private final Set<Claim> bound = new LinkedHashSet<>();
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
    int imm = WireImm.imm(wire);
    Entry entry = entries.get(imm);
    if (entry == null) {
      if (unclaimed >= maxUnclaimed) {
        drop(imm);
        return;
      }
      entry = new Entry(imm);
      entries.put(imm, entry);
    }
    entry.shares += WireImm.shares(wire);
    if (entry.claims.isEmpty()) {
      if (!entry.unclaimed) {
        review(entry);
      }
    } else if (entry.shares >= entry.claims.element().shares()) {
      serve(entry);
    }
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
    PeerUnreachableException loss = claim.lossOfBound();
    Entry entry = entries.get(claim.imm);
    boolean served = entry != null && entry.claims.isEmpty() && entry.shares >= claim.shares();
    if (closed != null) {
      claim.decide(closed);
    } else if (refusal != null) {
      claim.decide(refusal);
    } else if (loss != null && !served) {
      claim.decide(loss);
    } else if (entry == null && dropped > 0) {
      claim.decide(overflow(claim.imm));
    } else {
      if (entry == null) {
        entry = new Entry(claim.imm);
        entries.put(claim.imm, entry);
      }
      entry.claims.add(claim);
      counters.add(Counters.PENDING_CLAIMS, 1);
      if (!claim.bound.isEmpty()) {
        bound.add(claim);
      }
      serve(entry);
    }
  }

  /** A claim was cancelled while it waited. */
  void remove(Claim claim) {
    Entry entry = entries.get(claim.imm);
    if (entry != null && entry.claims.remove(claim)) {
      left(claim);
      serve(entry);
    }
  }

  void fail(Claim claim, Throwable reason) {
    Entry entry = entries.get(claim.imm);
    if (entry != null && entry.claims.remove(claim)) {
      left(claim);
      claim.decide(reason);
      serve(entry);
    }
  }

  /** A claim was cancelled after it was met and before anyone was told. */
  void giveBack(int imm, long writes) {
    Entry entry = entries.get(imm);
    if (entry == null) {
      entry = new Entry(imm);
      entries.put(imm, entry);
    }
    entry.shares += writes * WireImm.SHARES;
    serve(entry);
  }

  /**
   * Drops what is unclaimed; returns how many whole writes that was. While someone waits, nothing
   * is unclaimed.
   */
  long discard(int imm) {
    Entry entry = entries.get(imm);
    if (entry == null || !entry.claims.isEmpty()) {
      return 0;
    }
    long writes = entry.shares / WireImm.SHARES;
    entry.shares = 0;
    review(entry);
    return writes;
  }

  void peerLost(PeerLink peer, PeerUnreachableException loss) {
    failAll(claim -> claim.bound.contains(peer), loss, bound);
  }

  void close(Throwable reason) {
    closed = reason;
    List<Claim> all = new ArrayList<>();
    entries.forEach(entry -> all.addAll(entry.claims));
    failAll(claim -> true, reason, all);
  }

  private void failAll(Predicate<Claim> which, Throwable reason, Iterable<Claim> candidates) {
    List<Claim> failing = new ArrayList<>();
    for (Claim claim : candidates) {
      if (which.test(claim)) {
        failing.add(claim);
      }
    }
    failing.forEach(claim -> fail(claim, reason));
  }

  private void serve(Entry entry) {
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
    bound.remove(claim);
  }

  /**
   * Brings the books up to date: whether it counts as unclaimed, and whether it is needed at all.
   */
  private void review(Entry entry) {
    boolean now = entry.claims.isEmpty() && entry.shares > 0;
    if (now != entry.unclaimed) {
      entry.unclaimed = now;
      unclaimed += now ? 1 : -1;
      counters.add(Counters.UNCLAIMED_IMMS, now ? 1 : -1);
    }
    if (entry.claims.isEmpty() && entry.shares == 0) {
      entries.remove(entry.imm);
    }
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
