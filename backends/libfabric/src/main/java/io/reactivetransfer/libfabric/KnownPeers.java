package io.reactivetransfer.libfabric;

import io.reactivetransfer.EngineId;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The NICs that this one knows: those that its engine holds, and strangers, from which frames came,
 * or which the engine has let go of. Of strangers there may be a bounded number, since anybody can
 * be one: those go first that are gone, and then the ones that were silent longest. Nobody says
 * whether a silent one lives, and what is forgotten of one that does begins anew, see {@link
 * Hearing}.
 */
final class KnownPeers {

  /** NICs that are remembered though the engine does not hold them. */
  static final int MAX_STRANGERS = 4_096;

  private record Key(EngineId engine, long instance) {
    static Key of(FabricPeer peer) {
      return new Key(peer.engine(), peer.instance());
    }
  }

  /** Stays when what the engine holds is gone, and then says whose it was. */
  private static final class Holding extends WeakReference<HeldPeer> {
    private final FabricPeer peer;

    Holding(HeldPeer holder, ReferenceQueue<HeldPeer> letGo) {
      super(holder, letGo);
      this.peer = holder.peer();
    }
  }

  private final Map<Key, Holding> held = new HashMap<>();
  private final ReferenceQueue<HeldPeer> letGo = new ReferenceQueue<>();

  /** Whoever is heard of goes to the end. */
  private final Map<Key, FabricPeer> strangers = new LinkedHashMap<>(16, 0.75f, true);

  /** Strangers that are gone, as they went: frames of those that went just now may come still. */
  private final Map<Key, FabricPeer> gone = new LinkedHashMap<>();

  private final Consumer<FabricPeer> onForget;

  /** Of those that are met now: a peer that was forgotten may remember this NIC. */
  private int nextEpoch = 1;

  /**
   * Of nobody so far.
   *
   * @param onForget is told who is not known any more
   */
  KnownPeers(Consumer<FabricPeer> onForget) {
    this.onForget = onForget;
  }

  /** The NIC that the engine has asked for: not forgotten while what is returned is reachable. */
  HeldPeer resolve(EngineId engine, long instance, byte[] name) {
    takeThoseLetGo();
    Key key = new Key(engine, instance);
    Holding holding = held.get(key);
    HeldPeer known = holding == null ? null : holding.get();
    if (known != null) {
      return known;
    }
    FabricPeer peer = holding == null ? withdraw(key) : holding.peer;
    HeldPeer holder = new HeldPeer(peer == null ? met(key, name) : peer);
    held.put(key, new Holding(holder, letGo));
    return holder;
  }

  /** Who has sent a frame; null if too many have that cannot be forgotten now. */
  @Nullable FabricPeer senderOf(Frame frame) {
    Key key = new Key(frame.sender(), frame.instance());
    Holding holding = held.get(key);
    FabricPeer peer = holding == null ? stranger(key) : holding.peer;
    if (peer == null && hasRoomForStranger()) {
      peer = met(key, frame.name());
      strangers.put(key, peer);
    }
    return peer;
  }

  /** Perhaps one that was gone and is there again. */
  private @Nullable FabricPeer stranger(Key key) {
    FabricPeer back = gone.remove(key);
    if (back != null) {
      strangers.put(key, back);
    }
    return strangers.get(key);
  }

  private @Nullable FabricPeer withdraw(Key key) {
    FabricPeer known = stranger(key);
    strangers.remove(key);
    return known;
  }

  private FabricPeer met(Key key, byte[] name) {
    return new FabricPeer(key.engine(), key.instance(), name, nextEpoch);
  }

  /** A peer is gone, as far as this NIC can tell; if that is a stranger, it goes first. */
  void gone(FabricPeer peer) {
    Key key = Key.of(peer);
    if (strangers.remove(key, peer)) {
      gone.put(key, peer);
    }
  }

  private void takeThoseLetGo() {
    Holding holding;
    while ((holding = (Holding) letGo.poll()) != null) {
      Key key = Key.of(holding.peer);
      if (held.remove(key, holding)) { // else it was asked for again meanwhile
        strangers.put(key, holding.peer);
        if (holding.peer.hasLeft()) {
          gone(holding.peer);
        }
      }
    }
    forgetDownTo(MAX_STRANGERS);
  }

  private boolean hasRoomForStranger() {
    takeThoseLetGo();
    forgetDownTo(MAX_STRANGERS - 1);
    return strangers.size() + gone.size() < MAX_STRANGERS;
  }

  private void forgetDownTo(int size) {
    forget(gone, strangers.size() + gone.size() - size);
    forget(strangers, strangers.size() + gone.size() - size);
  }

  private void forget(Map<Key, FabricPeer> among, int count) {
    Iterator<FabricPeer> first = among.values().iterator();
    int left = count;
    while (left > 0 && first.hasNext()) {
      FabricPeer peer = first.next();
      if (peer.canBeForgotten()) {
        first.remove();
        left--;
        nextEpoch = Math.max(nextEpoch, peer.epoch() + 1);
        onForget.accept(peer);
      }
    }
  }

  /** All of them, as they are now. */
  Collection<FabricPeer> all() {
    List<FabricPeer> all = new ArrayList<>(strangers.values());
    all.addAll(gone.values());
    held.values().forEach(holding -> all.add(holding.peer));
    return all;
  }
}
