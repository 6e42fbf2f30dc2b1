package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Signals;
import io.reactivetransfer.engine.base.Traffic;
import io.reactivetransfer.spi.RemotePeer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A peer, as one engine knows it: how it is reached, what is said to it, and whether it was lost.
 * All but the address belongs to the NIC thread.
 */
public final class PeerLink implements Peer {

  /** The doorbell region that every engine registers, the target of bare immediates. */
  public static final int DOORBELL_BYTES = 64;

  private final Peers peers;
  private volatile PeerAddress address;

  /** Its NICs as ours know them, by the numbers of ours and of its own. */
  private final @Nullable RemotePeer[][] remotes;

  /** Control messages to and from it. */
  public final Mail mail;

  private final Traffic traffic = new Traffic();
  private final PeerShare outbound;
  private final PeerShare inbound;

  /** What it has said of its NICs; none before it greets. */
  private List<PeerNic> nics = List.of();

  /** Which NIC of the peer each of ours talks to. */
  private final int[] counterparts;

  /** NICs of ours that have lost their way to it, as a set of bits. */
  private int lostWays;

  /** See {@link #lastWayLost}. */
  private @Nullable String lastWayLost;

  private final Fences fences;

  /** Its NICs that have failed, as a set of bits. */
  private int failedNics;

  /** Grows whenever a counterpart changes. */
  private int route;

  private @Nullable PeerUnreachableException loss;

  /** How many wait for it beside what the flights and the mail tell. */
  private int interest;

  /** How long it has been silent while it was wanted. */
  private long silentNanos;

  private boolean heard;
  private boolean watched;

  /** Whether the engine itself holds it, see {@link Peers}. */
  private boolean kept;

  private long lastUsed;
  private final PeerStates states;

  PeerLink(
      Peers peers,
      PeerAddress address,
      Function<PeerLink, PeerShare> outbound,
      Function<PeerLink, PeerShare> inbound) {
    int ours = peers.nics().size();
    this.peers = peers;
    this.address = address;
    this.remotes = new RemotePeer[ours][Nic.MAX_PER_ENGINE];
    this.counterparts = new int[ours];
    this.fences = new Fences(this, peers);
    this.mail = new Mail(this, peers.newEpoch());
    this.states = new PeerStates(this, peers);
    this.outbound = outbound.apply(this);
    this.inbound = inbound.apply(this);
  }

  /** What goes there and comes from there. */
  public Traffic traffic() {
    return traffic;
  }

  @Override
  public TrafficStats stats() {
    return traffic.stats();
  }

  /** What is kept of it, and has to be told, for what goes there. */
  public PeerShare outbound() {
    return outbound;
  }

  /** The same for what comes from there. */
  public PeerShare inbound() {
    return inbound;
  }

  /** The engine is found there, too: that is where it is looked for from now on. */
  void movedTo(PeerAddress address) {
    this.address = address;
  }

  /**
   * It has said which NICs it has: each of ours talks to one of them. Returns false if it has said
   * otherwise before.
   */
  boolean introduce(List<PeerNic> introduced) {
    if (nics.isEmpty()) {
      nics = introduced;
      Arrays.setAll(counterparts, nic -> nic % nics.size());
    }
    lostWays = 0;
    lastWayLost = null;
    return nics.size() == introduced.size();
  }

  /** Whether it has ever said which NICs it has. */
  boolean hasEverGreeted() {
    return !nics.isEmpty();
  }

  /** Whether it can be written to: it has greeted, and nothing was lost since. */
  public boolean isOpen() {
    return !nics.isEmpty() && mail.isOpen();
  }

  /** How many NICs of ours may lead to it. */
  public int ways() {
    return counterparts.length;
  }

  public PeerNic nic(int number) {
    return nics.get(number);
  }

  public int nics() {
    return nics.size();
  }

  /** One of our NICs has lost its way to it; others may have theirs. */
  void wayLost(int nic) {
    lostWays |= 1 << nic;
    fences.ask(nic);
  }

  /** The same, and why. */
  void wayLost(int nic, String why) {
    wayLost(nic);
    lastWayLost = "that of NIC " + peers.nics().name(nic) + ": " + why;
  }

  /** Which way was lost last since the peer greeted, and why, for people; null if none was. */
  public @Nullable String lastWayLost() {
    return lastWayLost;
  }

  /** What these NICs of ours, as a set of bits, have on their way there was given up. */
  public void askForFences(int ours) {
    for (int nic = 0; nic < counterparts.length; nic++) {
      if ((ours & 1 << nic) != 0) {
        fences.ask(nic);
      }
    }
  }

  public boolean hasLostWay(int nic) {
    return (lostWays & 1 << nic) != 0;
  }

  /** Whether ways are left beside those that it has lost, and those of NICs of ours that failed. */
  public boolean hasOtherWays() {
    return (lostWays | peers.nics().failed()) != peers.nics().all();
  }

  /** Whether nothing comes there any more of what a NIC of ours had posted on a way it has lost. */
  public boolean isShut(int nic) {
    return (fences.asked() & 1 << nic) == 0;
  }

  /** Lost ways are tried again. */
  void tryAllWays() {
    lostWays = 0;
  }

  /**
   * The NICs that are better left alone, as a set of bits: not all of them, but for those whose way
   * is being shut.
   */
  public int lostWays() {
    return (hasOtherWays() ? lostWays : 0) | fences.unusable();
  }

  Fences fences() {
    return fences;
  }

  @Override
  public EngineId id() {
    return address.engine();
  }

  @Override
  public PeerAddress address() {
    return address;
  }

  Peers peers() {
    return peers;
  }

  @Override
  public EngineId engine() {
    return peers.ownAddress().engine();
  }

  @SuppressWarnings("ReferenceEquality")
  public // the very same engine
  boolean isOf(Peers peers) {
    return this.peers == peers;
  }

  /** Which NIC of the peer a NIC of ours talks to: the numbers may differ. */
  public int counterpart(int nic) {
    return counterparts[nic];
  }

  /**
   * NICs of the peer have failed: what is out to them fails, and ours that talked to them talk to
   * others, as long as there are any. False if that changes nothing.
   */
  boolean nicsFailed(int failed) {
    fences.nicsFailed(failed);
    int all = (1 << nics.size()) - 1;
    int now = (failedNics | failed) & all;
    if (now == failedNics || now == all) {
      return false;
    }
    failedNics = now;
    int[] working = IntStream.range(0, nics.size()).filter(this::works).toArray();
    for (int nic = 0; nic < counterparts.length; nic++) {
      int old = counterparts[nic];
      if (!works(old)) {
        RemotePeer remote = remotes[nic][old];
        if (remote != null) {
          fences.shut(nic, old, remote, "NIC " + old + " of the peer failed");
        }
        counterparts[nic] = working[nic % working.length];
      }
    }
    route++;
    return true;
  }

  private boolean works(int nic) {
    return (failedNics & 1 << nic) == 0;
  }

  /** Changes when the counterparts do. */
  public int route() {
    return route;
  }

  /** Has every NIC resolve the address of its counterpart; once. */
  public void resolve() {
    used();
    for (int nic = 0; nic < remotes.length; nic++) {
      try {
        remote(nic, counterpart(nic));
      } catch (RuntimeException e) {
        throw new TransferRejectedException(
            "cannot resolve the address of " + address + ": " + Signals.textOf(e),
            Origin.peer(id()),
            e);
      }
    }
  }

  /** Has the NICs give it up: all of them that know it, or that it may write to. */
  public void disconnect(String reason) {
    disconnect(peers.nics().all(), reason);
  }

  /** Has these NICs of ours, as a set of bits, do so. */
  public void disconnect(int ways, String reason) {
    for (int ours = 0; ours < remotes.length; ours++) {
      for (int theirs = 0; theirs < nics.size(); theirs++) {
        boolean mayWrite = theirs % remotes.length == ours || lacksNics();
        if ((ways & 1 << ours) != 0 && (remotes[ours][theirs] != null || mayWrite)) {
          disconnect(ours, theirs, reason);
        }
      }
    }
  }

  private boolean lacksNics() {
    return failedNics != 0 || peers.nics().failed() != 0;
  }

  private void disconnect(int ours, int theirs, String reason) {
    RemotePeer remote;
    try {
      remote = remote(ours, theirs);
    } catch (RuntimeException e) {
      return; // the peer greets with what it likes, and no NIC could write from there
    }
    fences.shut(ours, theirs, remote, reason);
  }

  private void release() {
    for (int ours = 0; ours < remotes.length; ours++) {
      for (int theirs = 0; theirs < remotes[ours].length; theirs++) {
        release(ours, theirs);
      }
    }
  }

  /** Has a NIC of ours forget one of its, unless it is shutting that: then when it has done so. */
  private void release(int ours, int theirs) {
    RemotePeer remote = remotes[ours][theirs];
    if (remote != null && !fences.isShutting(remote)) {
      remotes[ours][theirs] = null;
      fences.released(remote);
      peers.released(remote);
      if (!peers.nics().isClosed()) { // else it has forgotten all
        peers.nics().domains()[ours].release(remote);
      }
    }
  }

  /** A NIC of ours has shut one of its, or has failed: if the peer is forgotten, so is that. */
  void wayShut(int ours, int theirs) {
    if (!kept) {
      release(ours, theirs);
    }
  }

  /** The counterpart of one of our NICs. */
  public RemotePeer remote(int nic) {
    return Peers.known(remotes[nic][counterpart(nic)]);
  }

  /** One of its NICs, as one of ours knows it. */
  RemotePeer remote(int ours, int theirs) {
    RemotePeer known = remotes[ours][theirs];
    if (known == null) {
      known = peers.nics().domains()[ours].resolve(id(), theirs, nic(theirs).address());
      remotes[ours][theirs] = known;
      peers.resolved(known, new NicMessages.Ends(this, ours, theirs));
    }
    return known;
  }

  /** Why it was lost, or null while nothing speaks against it. */
  public @Nullable PeerUnreachableException loss() {
    return loss;
  }

  /** Why it was lost; or this, if it was not. */
  PeerUnreachableException lossOr(String text) {
    return loss != null
        ? loss
        : new PeerUnreachableException("peer " + this + " " + text, Origin.peer(id()), null);
  }

  void lost(PeerUnreachableException loss) {
    used();
    unwatch();
    boolean known = this.loss != null;
    this.loss = loss;
    if (!known) {
      peers.lost();
      states.tell(new PeerState.Lost(loss));
    }
  }

  /** A sign of life came from it. */
  void heard() {
    used();
    heard = true;
    if (loss != null || !states.isAlive()) {
      loss = null;
      states.tell(new PeerState.Alive());
    }
  }

  /** A write has reached it: it is not lost, though that is no sign that its process lives. */
  public void reached() {
    loss = null;
  }

  @Override
  public Flux<PeerState> state() {
    return states.flux();
  }

  @Override
  public PeerState present() {
    return states.present();
  }

  PeerStates states() {
    return states;
  }

  /** Counts those who wait for it. */
  public void wanted(int change) {
    used();
    interest += change;
  }

  /** There is something to remember of it. */
  public void used() {
    lastUsed = peers.timers().turnNanos();
    if (!kept) {
      kept = true;
      peers.keep(this);
    }
  }

  /** The time of the turn in which it was heard of, or was used, last. */
  long lastUsed() {
    return lastUsed;
  }

  /** Whether nothing is waited for, on its way, or due, in either direction. */
  boolean isIdle() {
    return !isWanted() && outbound.isIdle() && inbound.isIdle() && mail.isIdle();
  }

  /**
   * The engine does not hold it any more: whoever does, holds it as if it were new. What NICs of
   * ours are shutting stays theirs until they have, also if the peer is met again before.
   */
  void forgotten() {
    kept = false;
    outbound.forgotten();
    inbound.forgotten();
    release();
    nics = List.of();
    lostWays = 0;
    lastWayLost = null;
    failedNics = 0;
    route++;
    loss = null;
    heard = false;
    watched = false;
    silentNanos = 0;
    states.forgotten();
  }

  /** Whether anything is waited for that only it can bring, or take. */
  boolean isWanted() {
    return interest > 0 || outbound.isWanted() || inbound.isWanted() || mail.isSending();
  }

  /**
   * How long it has been silent while it was wanted.
   *
   * @param passed since the last call, in nanoseconds
   */
  long silentNanos(long passed) {
    silentNanos = watched && !heard ? silentNanos + passed : 0;
    watched = true;
    heard = false;
    return silentNanos;
  }

  /** Nobody waits for it now, or what waited has ended: silence up to now means nothing. */
  void unwatch() {
    watched = false;
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
