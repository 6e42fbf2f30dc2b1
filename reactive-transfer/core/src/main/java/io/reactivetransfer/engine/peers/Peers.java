package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Closing;
import io.reactivetransfer.engine.base.Commands;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.SignalScheduler;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The peers that an engine knows, by id. The table holds them weakly, so that a peer is the same
 * object for as long as anybody holds it. The engine itself holds those with which it has something
 * to do or has had lately: of those that were lost, and of those that are silent without being
 * missed, a bounded number. What was said and counted with the others is forgotten, see {@link
 * Mail#renew}.
 */
public final class Peers {

  /** Peers that were lost and of which nothing is wanted. */
  static final int MAX_LOST = 1_024;

  /*
   * Of those that were lost and have to take back what was given up, as many again: half a write of
   * one that is forgotten counts if it comes back.
   */

  /** Peers that may live and of which nothing is wanted. */
  static final int MAX_IDLE = 16_384;

  /** So many changes at least lie between two looks at all of them. */
  private static final int CHANGES_PER_SWEEP = 128;

  private static final class Ref extends WeakReference<PeerLink> {
    private final EngineId id;

    Ref(PeerLink peer, ReferenceQueue<PeerLink> gone) {
      super(peer, gone);
      this.id = peer.id();
    }
  }

  private final PeerAddress own;
  private final Nics nics;
  private final Timers timers;
  private final Commands commands;
  private final SignalScheduler signals;
  private final Closing closing;
  private final Function<PeerLink, PeerShare> outbound;
  private final Function<PeerLink, PeerShare> inbound;
  private final List<PeerEvents> listeners = new ArrayList<>();
  private final IdentityHashMap<RemotePeer, NicMessages.Ends> remotes = new IdentityHashMap<>();
  private final ArrayDeque<Mail> ready = new ArrayDeque<>();
  private final ConcurrentHashMap<EngineId, Ref> byId = new ConcurrentHashMap<>();
  private final ReferenceQueue<PeerLink> gone = new ReferenceQueue<>();
  private final AtomicInteger epochs = new AtomicInteger();
  private final Map<EngineId, PeerLink> kept = new LinkedHashMap<>();
  private int maxLost = MAX_LOST;
  private int maxIdle = MAX_IDLE;
  private int changes;

  /**
   * None yet.
   *
   * @param own the address of this engine
   * @param outbound makes what is kept of a peer for what goes there
   * @param inbound makes what is kept of a peer for what comes from there
   */
  public Peers(
      PeerAddress own,
      Nics nics,
      Timers timers,
      Commands commands,
      SignalScheduler signals,
      Closing closing,
      Function<PeerLink, PeerShare> outbound,
      Function<PeerLink, PeerShare> inbound) {
    this.own = own;
    this.nics = nics;
    this.timers = timers;
    this.commands = commands;
    this.signals = signals;
    this.closing = closing;
    this.outbound = outbound;
    this.inbound = inbound;
  }

  /** Has these told what becomes of peers, in this order. */
  public void tell(PeerEvents... listeners) {
    this.listeners.addAll(List.of(listeners));
  }

  public PeerAddress ownAddress() {
    return own;
  }

  Nics nics() {
    return nics;
  }

  public Timers timers() {
    return timers;
  }

  Commands commands() {
    return commands;
  }

  SignalScheduler signals() {
    return signals;
  }

  Closing closing() {
    return closing;
  }

  /**
   * What a caller names, if it is a peer of this engine. From any thread.
   *
   * @throws TransferRejectedException if it is not
   */
  public PeerLink own(Peer peer) {
    if (!(peer instanceof PeerLink link) || !link.isOf(this)) {
      // What is not of ours is named by its class: this may be the NIC thread, which runs no such
      // code.
      String name = peer instanceof PeerLink ? peer.toString() : peer.getClass().getName();
      throw new TransferRejectedException(
          "expected a peer of this engine, got " + name + " of another one; use peer(address)");
    }
    return link;
  }

  static <T> T known(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("a NIC of a peer was used before it was resolved");
    }
    return value;
  }

  /** Forgets sooner. For tests. */
  public void bounds(int maxLost, int maxIdle) {
    this.maxLost = maxLost;
    this.maxIdle = maxIdle;
  }

  /**
   * The peer that the application has named by this address: there it is looked for from now on,
   * whatever it says of itself. From any thread.
   *
   * @throws TransferRejectedException if it is of another backend
   */
  public PeerLink named(PeerAddress address) {
    PeerLink peer = of(address);
    if (!peer.address().equals(address)) {
      peer.movedTo(address);
    }
    return peer;
  }

  /**
   * The peer that has this address, or is known under another one. From any thread.
   *
   * @throws TransferRejectedException if it is of another backend
   */
  public PeerLink of(PeerAddress address) {
    if (!address.backend().equals(own.backend())) {
      throw new TransferRejectedException(
          "expected a peer of backend "
              + own.backend()
              + ", got one of backend "
              + address.backend(),
          Origin.peer(address.engine()),
          null);
    }
    return findOrCreate(address);
  }

  private PeerLink findOrCreate(PeerAddress address) {
    expunge();
    EngineId id = address.engine();
    while (true) {
      Ref ref = byId.get(id);
      PeerLink known = ref == null ? null : ref.get();
      if (known != null) {
        return known;
      }
      PeerLink fresh = new PeerLink(this, address, outbound, inbound);
      Ref own = new Ref(fresh, gone);
      if (ref == null ? byId.putIfAbsent(id, own) == null : byId.replace(id, ref, own)) {
        return fresh;
      }
    }
  }

  /** Takes those out of the table that nobody holds any more. */
  private void expunge() {
    Reference<? extends PeerLink> ref;
    while ((ref = gone.poll()) != null) {
      byId.remove(((Ref) ref).id, ref);
    }
  }

  /** From any thread. */
  public @Nullable PeerLink find(EngineId id) {
    Ref ref = byId.get(id);
    return ref == null ? null : ref.get();
  }

  /** Those that are in the table now. From any thread. */
  public List<Peer> all() {
    List<Peer> all = new ArrayList<>();
    forEachKnown(all::add);
    return all;
  }

  /** The number of an acquaintance that begins: never 0, and never the same soon. */
  int newEpoch() {
    int epoch;
    do {
      epoch = epochs.incrementAndGet();
    } while (epoch == 0);
    return epoch;
  }

  // ---- what follows belongs to the NIC thread ----

  /** A peer has greeted. */
  void opened(PeerLink peer) {
    listeners.forEach(each -> each.opened(peer));
  }

  /** Other NICs than before lead to a peer. */
  void rerouted(PeerLink peer) {
    listeners.forEach(each -> each.rerouted(peer));
  }

  /** All ways to a peer that were lost are shut. */
  void shut(PeerLink peer) {
    listeners.forEach(each -> each.shut(peer));
  }

  /** A peer is gone: ends everything that waits for it. */
  void lose(PeerLink peer, PeerUnreachableException loss) {
    assert commands.owner().isCurrent();
    peer.lost(loss);
    listeners.forEach(each -> each.lost(peer, loss));
  }

  /** A peer has forgotten this engine. */
  void begunAnew(PeerLink peer) {
    PeerUnreachableException reason = peer.lossOr("has begun anew");
    listeners.forEach(each -> each.begunAnew(peer, reason));
  }

  /** An engine is gone that is no peer. */
  void strangerLost(EngineId id) {
    listeners.forEach(each -> each.strangerLost(id));
  }

  /** A NIC of ours knows one of a peer. */
  void resolved(RemotePeer remote, NicMessages.Ends ends) {
    remotes.put(remote, ends);
  }

  void released(RemotePeer remote) {
    remotes.remove(remote);
  }

  /** A NIC of ours has failed: what it was shutting of those that are forgotten, it forgets. */
  void nicFailed(int nic) {
    for (NicMessages.Ends ends : List.copyOf(remotes.values())) {
      if (ends.ours() == nic) {
        ends.peer().wayShut(nic, ends.theirs());
      }
    }
  }

  /** Whom something stands for that a NIC of ours resolved. */
  NicMessages.@Nullable Ends endsOf(RemotePeer remote) {
    return remotes.get(remote);
  }

  /** There may be something to say to a peer. */
  void list(Mail mail) {
    assert commands.owner().isCurrent();
    if (!mail.listed && mail.hasWork()) {
      mail.listed = true;
      ready.addLast(mail);
    }
  }

  /** Those to whom there is something to say. */
  ArrayDeque<Mail> ready() {
    return ready;
  }

  /** Something is to be remembered of it. */
  void keep(PeerLink peer) {
    assert commands.owner().isCurrent();
    kept.put(peer.id(), peer);
    changes++;
  }

  /** It was lost, and may have to make room. */
  void lost() {
    changes++;
  }

  /** Those with which the engine has, or had lately, something to do. */
  void forEach(Consumer<PeerLink> action) {
    List.copyOf(kept.values()).forEach(action); // one may come to be among them meanwhile
  }

  /** These, and those that only a user holds. */
  void forEachKnown(Consumer<PeerLink> action) {
    for (Ref ref : byId.values()) {
      PeerLink peer = ref.get();
      if (peer != null) {
        action.accept(peer);
      }
    }
  }

  /** How many the engine itself holds. */
  public int size() {
    return kept.size();
  }

  /** How many are in the table, those included that nobody holds and that are still there. */
  int tableSize() {
    expunge();
    return byId.size();
  }

  /** Now and then, looks for peers that can be forgotten. */
  void sweepIfDue() {
    if (changes >= Math.max(CHANGES_PER_SWEEP, kept.size() / 8)) {
      sweep();
    }
  }

  /** Forgets those that are too many, the ones that were heard of last at last. */
  public void sweep() {
    changes = 0;
    expunge();
    List<PeerLink> lost = new ArrayList<>();
    List<PeerLink> owing = new ArrayList<>();
    List<PeerLink> idle = new ArrayList<>();
    for (PeerLink peer : kept.values()) {
      if (peer.isIdle()) {
        (peer.loss() == null ? idle : peer.outbound().isSettled() ? lost : owing).add(peer);
      }
    }
    eldest(owing, maxLost).forEach(this::forget);
    eldest(lost, maxLost).forEach(this::forget);
    eldest(idle, maxIdle).forEach(this::dismiss);
  }

  /** Forgets all that were lost and of which nothing is wanted. */
  public void forgetLost() {
    for (PeerLink peer : List.copyOf(kept.values())) {
      if (peer.isIdle() && peer.loss() != null && peer.outbound().isSettled()) {
        forget(peer);
      }
    }
  }

  private static List<PeerLink> eldest(List<PeerLink> peers, int bound) {
    if (peers.size() <= bound) {
      return List.of();
    }
    peers.sort(Comparator.comparingLong(PeerLink::lastUsed));
    return peers.subList(0, peers.size() - bound);
  }

  /** One that counts messages with this engine is told, so that it does not count on. */
  private void dismiss(PeerLink peer) {
    if (peer.mail.isKnownThere()) {
      peer.mail.dismiss(
          "it knew more than " + maxIdle + " engines with which it had nothing to do");
    } else {
      forget(peer);
    }
  }

  /** Forgets what was said and counted with a peer. Who holds it holds it as if it were new. */
  public void forget(PeerLink peer) {
    PeerUnreachableException reason = peer.lossOr("was let go of");
    listeners.forEach(each -> each.forgotten(peer, reason));
    peer.mail.renew(newEpoch());
    if (peer.isIdle()) {
      kept.remove(peer.id());
      peer.forgotten();
    } else {
      begunAnew(peer); // who takes back what was counted is not told the same twice
    }
  }
}
