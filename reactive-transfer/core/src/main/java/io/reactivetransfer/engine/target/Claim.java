package io.reactivetransfer.engine.target;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.PeerLink;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A claim on arrivals: waits in the {@link ImmTable}, is met or fails there, and tells its listener
 * on the signal scheduler, once. Cancelling it at any moment before that returns what it had got.
 */
final class Claim implements Runnable {

  /** Who made the claim. Called once at most, on the signal scheduler. */
  interface Listener {
    void met();

    void failed(Throwable reason);
  }

  private static final int WAITING = 0;
  private static final int DECIDED = 1;
  private static final int TOLD = 2;
  private static final int CANCELLED = 3;

  final int imm;
  final List<PeerLink> bound;

  /** How many arrivals; changes only from one use to the next. */
  long writes;

  /** Whether it is made again and again, so that what it needs to wait is kept in between. */
  final boolean isStanding;

  /** Where it waits; the table's own. */
  final Chain.Link<Claim> place = new Chain.Link<>(this);

  /** Its place among those that are bound to peers; the table's own. */
  private Chain.@Nullable Link<Claim> placeOfBound;

  /** Runs out when the patience does; the table's own. */
  Timers.@Nullable Timer timer;

  /** When that is, if the timer runs out before. */
  long dueNanos;

  private final ClaimTerms terms;
  private final Claims claims;
  private final Listener listener;
  private final Runnable adding;
  private final AtomicInteger state = new AtomicInteger();
  private @Nullable Throwable failure;
  private @Nullable Throwable refusal;

  Claim(ClaimTerms terms, long writes, Listener listener) {
    this(terms, writes, listener, false);
  }

  private Claim(ClaimTerms terms, long writes, Listener listener, boolean isStanding) {
    this.terms = terms;
    this.claims = terms.claims();
    this.imm = terms.imm();
    this.writes = writes;
    this.bound = terms.bound();
    this.listener = listener;
    this.isStanding = isStanding;
    this.adding = () -> claims.imms().add(this);
  }

  /** One that is made {@linkplain #again again and again}. */
  static Claim standing(ClaimTerms terms, Listener listener) {
    Claim claim = new Claim(terms, 0, listener, true);
    claim.state.set(TOLD);
    return claim;
  }

  /** A standing one whose listener was told is made anew. */
  void again(long writes) {
    this.writes = writes;
    failure = null;
    if (state.compareAndSet(TOLD, WAITING)) {
      make();
    }
  }

  /** Where it stands while it waits for peers that it is bound to. On the NIC thread. */
  Chain.Link<Claim> placeOfBound() {
    Chain.Link<Claim> known = placeOfBound;
    if (known == null) {
      known = new Chain.Link<>(this);
      placeOfBound = known;
    }
    return known;
  }

  /** Makes the claim. From any thread. */
  void make() {
    claims.commands().execute(adding);
  }

  /** Fails it, unless it was decided already. From any thread. */
  void refuse(Throwable reason) {
    claims
        .commands()
        .execute(() -> {
          refusal = reason; // it may not have been made yet
          claims.imms().fail(this, reason);
        });
  }

  /**
   * From any thread, at any time, more than once. A standing one that is about to be made is not
   * made any more: what is done behind a cancel must find nothing of it.
   */
  void cancel() {
    if (state.compareAndSet(TOLD, CANCELLED)) {
      return;
    }
    if (state.compareAndSet(WAITING, CANCELLED)) {
      claims.commands().execute(() -> claims.imms().remove(this));
    } else if (state.compareAndSet(DECIDED, CANCELLED)) {
      claims.commands().execute(this::giveBack);
    }
  }

  /** On the NIC thread, behind the decision: only then is it known how that came out. */
  private void giveBack() {
    if (failure == null) {
      terms.giveBack(writes);
    }
  }

  /** Whether its listener hears nothing more. From any thread. */
  boolean isOver() {
    return state.get() >= TOLD;
  }

  boolean isCancelled() {
    return state.get() == CANCELLED;
  }

  /** Why it was refused before it was made, or null. On the NIC thread. */
  @Nullable Throwable refusal() {
    return refusal == null ? terms.refusal() : refusal;
  }

  /** How long it may wait, in nanoseconds; 0 for ever. */
  long patienceNanos() {
    return terms.patienceNanos();
  }

  /** Whether this origin is one of those whose writes it waits for. */
  boolean concerns(EngineId origin) {
    return bound.isEmpty() || bound.stream().anyMatch(peer -> peer.id().equals(origin));
  }

  long shares() {
    return writes * WireImm.SHARES;
  }

  /** The peers it is bound to that were lost: the first one's loss, or null. On the NIC thread. */
  @Nullable PeerUnreachableException lossOfBound() {
    for (PeerLink peer : bound) {
      if (peer.loss() != null) {
        return peer.loss();
      }
    }
    return null;
  }

  /**
   * On the NIC thread: met if the reason is null. Returns whether it is: not if it was cancelled
   * before, nor if that cannot be said where it was to be.
   */
  boolean decide(@Nullable Throwable reason) {
    if (!state.compareAndSet(WAITING, DECIDED)) {
      return false;
    }
    Throwable unsaid = reason == null ? terms.raise() : reason;
    boolean isMet = unsaid == null;
    failure = unsaid;
    if (!isMet) {
      terms.fail(); // not where it is told: who waits for the word may be in the way there
    }
    try {
      claims.signals().schedule(this);
    } catch (Throwable e) {
      claims.signals().failed(e);
      run();
    }
    return isMet;
  }

  @Override
  public void run() {
    if (state.compareAndSet(DECIDED, TOLD)) {
      if (failure == null) {
        listener.met();
      } else {
        listener.failed(failure);
      }
    }
  }
}
