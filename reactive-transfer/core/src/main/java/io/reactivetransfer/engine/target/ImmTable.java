package io.reactivetransfer.engine.target;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.AfterPoll;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.Deadlines;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.base.IntMap;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.AbortFrame;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.Liveness;
import io.reactivetransfer.engine.peers.PeerEvents;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.engine.peers.Peers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Counts what arrives, and serves claims first come, first served. An entry exists while anything
 * of its immediate is unclaimed or anyone waits for it. Belongs to the NIC thread.
 *
 * <p>The number of unclaimed immediates is bounded for each origin. One more is lost, and a claim
 * that would wait for it fails. An origin that loses more than can be remembered is given up.
 */
public final class ImmTable implements PeerEvents {

  /** So much is owed at most, whatever origins say. */
  private static final long LARGEST_DEBT = -(1L << 61);

  private final Peers peers;
  private final Liveness liveness;
  private final Timers timers;
  private final AfterPoll afterPoll;
  private final Defects defects;
  private final Counters counters;
  private final Unclaimed unclaimed;
  private final LostArrivals lost;
  private final IntMap<ImmEntry> entries;

  /** Those of them for which somebody waits. */
  private final Chain<ImmEntry> waited = new Chain<>();

  private final Chain<Claim> bound = new Chain<>();
  private final AbortNotes notes;
  private final Doubts doubts;
  private final TakenBack takenBack = new TakenBack();
  private IntPredicate over = imm -> false;
  private @Nullable Throwable closed;

  public ImmTable(
      Peers peers,
      Liveness liveness,
      AfterPoll afterPoll,
      Defects defects,
      Counters counters,
      int maxUnclaimed,
      int seed) {
    this.peers = peers;
    this.liveness = liveness;
    this.timers = peers.timers();
    this.afterPoll = afterPoll;
    this.defects = defects;
    this.counters = counters;
    this.entries = new IntMap<>(seed);
    this.notes = new AbortNotes(seed);
    this.doubts = new Doubts(seed, this::isLost);
    this.unclaimed = new Unclaimed(maxUnclaimed, seed);
    this.lost = new LostArrivals(liveness, afterPoll, defects, counters, maxUnclaimed, unclaimed);
  }

  /**
   * Whose lease is over: what comes late under it meets nobody, and is not kept.
   *
   * @param over which immediates were leased and are not any more
   */
  void leasesEnd(IntPredicate over) {
    this.over = over;
  }

  /**
   * A piece has arrived and can be read.
   *
   * @param origin who wrote it, or null if the NIC does not say
   */
  public void arrived(@Nullable EngineId origin, int wire) {
    assert timers.owner().isCurrent();
    if (!doubts.isEmpty() && doubts.holds(WireImm.imm(wire))) {
      return;
    }
    ImmEntry entry = entryFor(WireImm.imm(wire), origin);
    if (entry == null) {
      return;
    }
    entry.arrived(origin, WireImm.shares(wire));
    Claim first = entry.firstClaim();
    if (first == null) {
      if (entry.unclaimed == null || entry.shares == 0) {
        review(entry); // the first of it, or the last that was owed
      }
    } else if (entry.hasEnoughFor(first)) {
      serve(entry);
    }
  }

  /**
   * So many pieces have come from an origin, which it may take back.
   *
   * @param origin who wrote them, or null if the NIC does not say
   */
  public void came(@Nullable EngineId origin, int pieces) {
    takenBack.came(origin, pieces);
  }

  /**
   * An origin tells of what it gave up: takes back what that has counted, and fails those who wait
   * for the rest; if nobody does, whoever would have to wait next.
   */
  void aborted(EngineId origin, AbortFrame abort) {
    assert timers.owner().isCurrent();
    if (abort.imm() == ControlFrame.ALL_IMMS) {
      if (abort.has(ControlFrame.FAILS)) {
        abortAll(origin, ClaimFailures.cause("many immediates", origin, abort.text()));
      }
      return;
    }
    if (abort.has(ControlFrame.RESUMED)) {
      notes.end(abort.imm(), origin);
    }
    String cause = ClaimFailures.cause("immediate " + abort.imm(), origin, abort.text());
    if (abort.has(ControlFrame.DOUBT)) {
      doubt(abort.imm(), origin, cause);
    } else if (!doubts.holds(abort.imm())) {
      takeBack(abort.imm(), origin, abort.shares());
      if (abort.has(ControlFrame.FAILS)) {
        boolean told = failWaiting(abort.imm(), origin, cause);
        if (!told && abort.has(ControlFrame.NOTE)) {
          notes.add(abort.imm(), origin, abort.text());
        }
      }
    }
    if (over.test(abort.imm())) {
      discard(abort.imm()); // said late: nobody begins anew under it
    }
  }

  private void takeBack(int imm, EngineId origin, long told) {
    long shares = told == 0 ? 0 : takenBack.believed(origin, told);
    if (shares < told) {
      defects.report(
          "engine "
              + origin.toShortString()
              + " takes back more than can have come from it, under immediate "
              + imm
              + "; what is beyond that is not owed");
    }
    ImmEntry entry = shares == 0 ? null : entryFor(imm, origin);
    if (entry != null) {
      entry.arrived(origin, Math.max(-shares, LARGEST_DEBT - entry.shares));
      review(entry);
    }
  }

  /** Fails those that wait for this origin; says whether there were any. */
  private boolean failWaiting(int imm, EngineId origin, String cause) {
    ImmEntry entry = entries.get(imm);
    boolean told = false;
    if (entry != null) {
      for (Claim claim : entry.waiting()) {
        if (claim.concerns(origin) && claim.place.isPlaced()) {
          told = true;
          fail(claim, ClaimFailures.givenUp(cause + "; " + entry.progress(claim), origin));
        }
      }
    }
    return told;
  }

  private void abortAll(EngineId origin, String cause) {
    waited().forEach(entry -> failWaiting(entry.imm, origin, cause));
  }

  /** Where somebody waits now: not to be looked for among all that nobody has claimed. */
  private List<ImmEntry> waited() {
    List<ImmEntry> all = new ArrayList<>(waited.size());
    for (Chain.Link<ImmEntry> at = waited.first(); at != null; at = at.next()) {
      all.add(at.member());
    }
    return all;
  }

  /** Nobody knows what was counted: nothing is, until the application says that it begins anew. */
  private void doubt(int imm, EngineId origin, String cause) {
    String text = Doubts.text(cause, imm);
    if (doubts.lacksRoom(imm, origin)) {
      peers.forgetLost(); // nobody who is there makes room for those
    }
    doubts.add(imm, origin, text, this::leftTooMuch);
    ImmEntry entry = entries.get(imm);
    if (entry != null) {
      entry.shares = 0;
      for (Claim claim : entry.waiting()) {
        fail(claim, ClaimFailures.givenUp(text, origin));
      }
      review(entry);
    }
  }

  private boolean isLost(EngineId origin) {
    PeerLink peer = peers.find(origin);
    return peer == null || peer.loss() != null;
  }

  private void leftTooMuch(EngineId origin) {
    afterPoll.execute(() -> {
      PeerLink peer = peers.find(origin);
      if (peer != null && peer.loss() != null) {
        peers.forget(peer); // it is not to be told, nor to be lost once more
      } else if (peer != null) {
        String text = "it left more immediates in doubt than can be remembered";
        defects.report("engine " + origin.toShortString() + " is given up: " + text);
        liveness.dismiss(peer, text);
      }
    });
  }

  /** Whether this origin left the immediate in doubt, and nobody has discarded. */
  boolean isInDoubt(int imm, EngineId origin) {
    return doubts.isOf(imm, origin);
  }

  /** Whether the immediate is in doubt, whoever left it so. */
  boolean isInDoubt(int imm) {
    return doubts.holds(imm);
  }

  /** What it told concerns nobody any more. */
  @Override
  public void forgotten(PeerLink peer, PeerUnreachableException reason) {
    notes.forget(peer.id());
    doubts.forget(peer.id());
  }

  /** It has forgotten us, and with us what of its notes is over. */
  @Override
  public void begunAnew(PeerLink peer, PeerUnreachableException reason) {
    notes.forget(peer.id());
  }

  private @Nullable ImmEntry entryFor(int imm, @Nullable EngineId origin) {
    ImmEntry entry = entries.get(imm);
    if (entry == null) {
      if (over.test(imm)) {
        return null;
      }
      if (unclaimed.isFull()) {
        makeRoom();
      }
      if (!unclaimed.hasRoom(origin)) {
        lost.add(imm, origin);
        return null;
      }
      entry = new ImmEntry(imm);
      entries.put(imm, entry);
    }
    return entry;
  }

  @Override
  public void opened(PeerLink peer) {
    unclaimed.back(peer.id());
  }

  /** Ends what those have that left long ago: of each, what nobody else has a share in. */
  private void makeRoom() {
    for (Unclaimed.Share share : unclaimed.gone()) {
      end(share);
    }
  }

  /**
   * An engine was lost. One that has overflowed its share is rid of all that nobody claims of it;
   * what others have left is kept for those who will claim it. What NICs have yet to report of it
   * is looked at when they have.
   */
  @Override
  public void strangerLost(EngineId origin) {
    boolean isEnded = leave(origin, false);
    behindArrivals(() -> {
      if (isLost(origin)) {
        leave(origin, isEnded);
      }
    });
  }

  /**
   * An engine is not there any more; says whether it is rid of what nobody claims of it.
   *
   * @param isEnded whether it was before
   */
  private boolean leave(EngineId origin, boolean isEnded) {
    Unclaimed.Share share = unclaimed.left(origin);
    if (share != null && (isEnded || share.isGuilty())) {
      end(share);
      return true;
    }
    return isEnded;
  }

  private void end(Unclaimed.Share share) {
    for (ImmEntry entry : share.own()) {
      counters.add(Counters.DROPPED_IMMS, Math.max(0, entry.shares / WireImm.SHARES));
      entry.shares = 0;
      review(entry);
    }
    unclaimed.forgive(share);
  }

  void add(Claim claim) {
    assert timers.owner().isCurrent();
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
      entry = new ImmEntry(claim.imm);
      entries.put(claim.imm, entry);
    }
    if (entry.claims.isEmpty()) {
      waited.add(entry.placeAmongWaited());
    }
    entry.claims.add(claim.place);
    counters.add(Counters.PENDING_CLAIMS, 1);
    PeerUnreachableException loss = claim.lossOfBound();
    serve(entry);
    if (!claim.place.isPlaced()) {
      return;
    }
    TransferFailedException overflow = unclaimed.lossFor(claim);
    if (overflow != null) {
      fail(claim, overflow);
      return;
    }
    AbortNotes.Note note = notes.isEmpty() ? null : notes.take(claim);
    if (note != null) {
      fail(claim, ClaimFailures.givenUp(note.text() + "; " + entry.progress(claim), note.origin()));
    } else if (loss != null) {
      fail(claim, ClaimFailures.lost(claim, entry, loss));
      claim.bound.forEach(peer -> peer.mail.ask()); // it may be back: then the next claim can wait
    } else {
      watch(claim);
    }
  }

  /**
   * Somebody makes claims of it one after the other from now on: it is kept in between.
   *
   * @param ended what is done when its lease is closed
   */
  void hold(int imm, Consumer<Throwable> ended) {
    assert timers.owner().isCurrent();
    ImmEntry entry = entries.get(imm);
    if (entry == null) {
      entry = new ImmEntry(imm);
      entries.put(imm, entry);
    }
    entry.holders.add(ended);
    review(entry);
  }

  /** No more. */
  void letGo(Claim standing, Consumer<Throwable> ended) {
    assert timers.owner().isCurrent();
    stopTimer(standing);
    ImmEntry entry = entries.get(standing.imm);
    if (entry != null && entry.holders.remove(ended)) {
      if (entry.holders.isEmpty() && over.test(standing.imm)) {
        entry.shares = 0; // came late under a lease that is over
      }
      review(entry);
    }
  }

  /** It will have to wait: has what may end the waiting look after it. */
  private void watch(Claim claim) {
    if (!claim.bound.isEmpty()) {
      bound.add(claim.placeOfBound());
      claim.bound.forEach(peer -> peer.wanted(1));
    }
    if (claim.patienceNanos() != Deadlines.NONE) {
      claim.dueNanos = timers.now() + claim.patienceNanos();
      if (claim.timer == null) {
        claim.timer = timers.at(claim.dueNanos, () -> runOut(claim));
      }
    }
  }

  /** A timer has, which may have been set for an earlier use of a standing claim. */
  private void runOut(Claim claim) {
    claim.timer = null;
    if (!claim.place.isPlaced()) {
      return;
    }
    if (claim.dueNanos - timers.now() > 0) {
      claim.timer = timers.at(claim.dueNanos, () -> runOut(claim));
      return;
    }
    ImmEntry entry = entries.get(claim.imm);
    if (entry != null) {
      fail(claim, ClaimFailures.overdue(claim, entry));
    }
  }

  private void stopTimer(Claim claim) {
    if (claim.timer != null) {
      timers.cancel(claim.timer);
      claim.timer = null;
    }
  }

  /** A claim was cancelled while it waited. */
  void remove(Claim claim) {
    assert timers.owner().isCurrent();
    ImmEntry entry = entries.get(claim.imm);
    if (entry != null && entry.claims.remove(claim.place)) {
      left(entry, claim);
      stopTimer(claim);
      serve(entry);
    }
  }

  void fail(Claim claim, Throwable reason) {
    assert timers.owner().isCurrent();
    ImmEntry entry = entries.get(claim.imm);
    if (entry != null && entry.claims.remove(claim.place)) {
      left(entry, claim);
      claim.decide(reason);
      serve(entry);
    }
  }

  /** A claim was cancelled after it was met and before anyone was told. */
  void giveBack(int imm, long writes) {
    assert timers.owner().isCurrent();
    if (doubts.holds(imm)) {
      return;
    }
    ImmEntry entry = entries.get(imm);
    if (entry == null) {
      if (over.test(imm)) {
        return;
      }
      entry = new ImmEntry(imm);
      entries.put(imm, entry);
    }
    entry.arrived(null, writes * WireImm.SHARES);
    serve(entry);
  }

  /**
   * Does something when all was counted that had come by now, also what NICs have yet to report:
   * the word of an origin may be heard before that.
   */
  void behindArrivals(Runnable action) {
    afterPoll.executeBehindBacklog(action);
  }

  /**
   * Drops what is unclaimed, what is owed, what origins told, and what is in doubt; returns how
   * many whole writes were dropped. While someone waits, nothing is unclaimed, but much may be owed
   * and told.
   */
  long discard(int imm) {
    assert timers.owner().isCurrent();
    ImmEntry entry = entries.get(imm);
    notes.discard(imm);
    unclaimed.found(imm);
    doubts.discard(imm, origin -> cleared(origin, imm));
    if (entry == null) {
      return 0;
    }
    if (!entry.claims.isEmpty()) {
      entry.shares = Math.max(0, entry.shares);
      return 0;
    }
    long writes = Math.max(0, entry.shares / WireImm.SHARES);
    entry.shares = 0;
    review(entry);
    return writes;
  }

  private void cleared(EngineId origin, int imm) {
    PeerLink peer = peers.find(origin);
    if (peer != null) {
      Inbound.from(peer).cleared(imm);
      peer.mail.list();
    }
  }

  /** Nobody uses this immediate any more: who waits under it fails, and what came is dropped. */
  void leaseClosed(int imm) {
    ImmEntry entry = entries.get(imm);
    if (entry != null) {
      entry.shares = 0; // else what the first had counted could meet the next
      for (Claim claim : entry.waiting()) {
        fail(claim, leaseClosedError(imm));
      }
      List<Consumer<Throwable>> holders = List.copyOf(entry.holders);
      entry.holders.clear(); // what comes from now on is nobody's
      holders.forEach(holder -> holder.accept(leaseClosedError(imm)));
    }
    discard(imm);
  }

  private static TransferRejectedException leaseClosedError(int imm) {
    return new TransferRejectedException("the lease of " + imm + " was closed");
  }

  @Override
  public void lost(PeerLink peer, PeerUnreachableException loss) {
    assert timers.owner().isCurrent();
    strangerLost(peer.id());
    List<Claim> concerned = new ArrayList<>();
    for (Chain.Link<Claim> each = bound.first(); each != null; each = each.next()) {
      if (each.member().bound.contains(peer)) {
        concerned.add(each.member());
      }
    }
    for (Claim claim : concerned) {
      ImmEntry entry = entries.get(claim.imm);
      if (entry != null) {
        fail(claim, ClaimFailures.lost(claim, entry, loss));
      }
    }
  }

  public void close(Throwable reason) {
    closed = reason;
    waited().forEach(entry -> entry.shares = 0); // it meets none behind one that fails
    List<Claim> all = waited().stream().flatMap(entry -> entry.waiting().stream()).toList();
    all.forEach(claim -> fail(claim, reason));
  }

  private void serve(ImmEntry entry) {
    Claim claim;
    while ((claim = entry.firstClaim()) != null && entry.hasEnoughFor(claim)) {
      entry.claims.remove(claim.place);
      left(entry, claim);
      long shares = claim.shares(); // before its listener, who may make a standing one again
      if (claim.decide(null)) {
        entry.shares -= shares;
      }
    }
    review(entry);
  }

  private void left(ImmEntry entry, Claim claim) {
    if (entry.claims.isEmpty()) {
      waited.remove(entry.placeAmongWaited());
    }
    counters.add(Counters.PENDING_CLAIMS, -1);
    if (!claim.bound.isEmpty() && bound.remove(claim.placeOfBound())) {
      claim.bound.forEach(peer -> peer.wanted(-1));
    }
    if (!claim.isStanding) {
      stopTimer(claim);
    }
  }

  /**
   * Brings the books up to date: whether it counts as unclaimed, and whether it is needed at all.
   */
  private void review(ImmEntry entry) {
    Unclaimed.Share before = entry.unclaimed;
    boolean now = entry.takesRoom();
    if (now && before == null) {
      unclaimed.add(entry);
    } else if (!now && before != null) {
      unclaimed.remove(entry, before);
    }
    if (entry.isCounted != entry.holdsUnclaimed()) {
      entry.isCounted = !entry.isCounted;
      counters.add(Counters.UNCLAIMED_IMMS, entry.isCounted ? 1 : -1);
    }
    if (!entry.isNeeded()) {
      entries.remove(entry.imm);
    }
  }
}
