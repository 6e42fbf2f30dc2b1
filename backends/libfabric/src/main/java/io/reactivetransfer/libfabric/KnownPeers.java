package io.reactivetransfer.libfabric;

import io.reactivetransfer.EngineId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The NICs that this one knows: those that its engine has asked for, and strangers, from which
 * frames came. Of strangers there may be a bounded number, since anybody can be one.
 */
final class KnownPeers {

  /** NICs that are remembered though the engine never asked for them. */
  static final int MAX_STRANGERS = 4_096;

  private record Key(EngineId engine, long instance) {}

  private final Map<Key, FabricPeer> all = new HashMap<>();
  private final Consumer<FabricPeer> onForget;
  private int strangers;

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

  /** The NIC that the engine has asked for. */
  FabricPeer resolve(EngineId engine, long instance, byte[] name) {
    Key key = new Key(engine, instance);
    FabricPeer peer = all.get(key);
    if (peer == null) {
      peer = remember(key, name);
    } else if (peer.isStranger()) {
      strangers--;
    }
    peer.resolved();
    return peer;
  }

  /** Who has sent a frame; null if too many have of whom the engine knows nothing. */
  @Nullable FabricPeer senderOf(Frame frame) {
    Key key = new Key(frame.sender(), frame.instance());
    FabricPeer peer = all.get(key);
    if (peer == null && hasRoomForStranger()) {
      peer = remember(key, frame.name());
      strangers++;
    }
    return peer;
  }

  private FabricPeer remember(Key key, byte[] name) {
    FabricPeer peer = new FabricPeer(key.engine(), key.instance(), name, nextEpoch);
    all.put(key, peer);
    return peer;
  }

  private boolean hasRoomForStranger() {
    if (strangers >= MAX_STRANGERS) {
      all.values().removeIf(this::forget);
    }
    return strangers < MAX_STRANGERS;
  }

  private boolean forget(FabricPeer peer) {
    if (!peer.canBeForgotten()) {
      return false;
    }
    nextEpoch = Math.max(nextEpoch, peer.epoch() + 1);
    onForget.accept(peer);
    strangers--;
    return true;
  }

  Collection<FabricPeer> all() {
    return all.values();
  }
}
