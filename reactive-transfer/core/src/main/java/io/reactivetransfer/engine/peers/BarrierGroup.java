package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The members of a barrier, as one of them sees it.
 *
 * @param id the same for every member: made of the name of the barrier and the ids of all members,
 *     in whatever order they were named
 * @param others all but this engine
 */
public record BarrierGroup(EngineId id, List<PeerLink> others) {

  /** The group of these peers and this engine, whether or not it names itself. */
  public static BarrierGroup of(Peers peers, String name, PeerGroup group) {
    TreeSet<EngineId> ids = new TreeSet<>();
    ids.add(peers.ownAddress().engine());
    List<PeerLink> others = new ArrayList<>();
    for (Peer peer : group.peers()) {
      if (ids.add(peer.id())) {
        others.add(peers.own(peer));
      }
    }
    return new BarrierGroup(idOf(name, ids), List.copyOf(others));
  }

  /** See "Barriers" in {@code docs/wire-format.md}. */
  static EngineId idOf(String name, SortedSet<EngineId> ids) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes =
        ByteBuffer.allocate(Integer.BYTES + text.length + ids.size() * EngineId.BYTES)
            .putInt(text.length) // without which a name could end with what is taken for an id
            .put(text);
    ids.forEach(id -> bytes.putLong(id.high()).putLong(id.low()));
    ByteBuffer digest = ByteBuffer.wrap(sha256(bytes.array()));
    return new EngineId(digest.getLong(), digest.getLong());
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
