package io.reactivetransfer.spi;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;

/**
 * Where a {@link Domain} puts what it found. Valid only during the {@link Domain#poll} that it was
 * given to, and only on that thread.
 */
public interface CompletionSink {

  /** Instead of a length, where the NIC is not told how long a write was that came. */
  long UNKNOWN_BYTES = -1;

  /**
   * An accepted write is done, at the domain's completion level. Nothing touches its memory any
   * more.
   */
  void written(long token);

  /**
   * So many accepted writes of one run ({@link Operation#areOfOneRun}) are done: for a NIC that has
   * only some writes reported, each of which speaks for those before it. Writes of other runs among
   * these are reported by themselves, and so is each one that failed.
   *
   * @param token of any of them
   * @param writes how many they are, at least 1
   */
  default void written(long token, int writes) {
    for (int i = 0; i < writes; i++) {
      written(token);
    }
  }

  /**
   * An accepted write has failed. Nothing touches its source any more; the target range is
   * undefined.
   *
   * @param code the backend's code, or 0
   * @param text what happened, and where known what to do
   */
  void failed(long token, int code, String text);

  /**
   * An accepted write has failed, and it is certain that its immediate was not and will not be
   * counted, because the target has refused it, or it was never sent. What is told by {@link
   * #failed} may have arrived for all that the origin knows, and leaves its immediate in doubt.
   *
   * @param code the backend's code, or 0
   * @param text what happened, and where known what to do
   */
  default void refused(long token, int code, String text) {
    failed(token, code, text);
  }

  /**
   * A write with an immediate from elsewhere has arrived: its bytes can be read now.
   *
   * @param bytes how many it has brought, in all its rows, which may be 0; or {@link
   *     #UNKNOWN_BYTES}, rather than a length that may be wrong, such as that of the last part of
   *     what its origin's driver has sent in parts. They are counted, and decide nothing
   */
  void immArrived(int imm, long bytes);

  /**
   * The same, by a NIC that knows which engine wrote: then one engine that writes what nobody
   * claims does no harm to others.
   *
   * @param bytes how many it has brought, or {@link #UNKNOWN_BYTES}
   */
  default void immArrived(EngineId origin, int imm, long bytes) {
    immArrived(imm, bytes);
  }

  /**
   * This NIC has something to say to a NIC of another engine, to set up what is written by: small,
   * at most 1,024 bytes. It is carried by the engine's control channel: once, in order, and lost
   * only with the session, of which {@link Domain#disconnect} tells. That comes within a session,
   * too, when the NIC of the peer has lost its way to this one, or has given it up: then both begin
   * anew, and what they had agreed on before holds no more. To be told in answer to a post, a
   * {@link Domain#fromPeer} or a change of this NIC, never for each write.
   *
   * @param peer as this domain resolved it
   * @param message its remaining bytes, copied
   */
  default void toPeer(RemotePeer peer, ByteBuffer message) {
    throw new UnsupportedOperationException("expected a sink that carries messages of NICs");
  }

  /**
   * A peer cannot be reached, or was lost: told once, before the failures of the writes that were
   * accepted for it. A later post to it tries again.
   *
   * @param code the backend's code, or 0
   * @param text what happened, with the network address
   */
  void peerLost(EngineId peer, int code, String text);

  /**
   * This NIC can do nothing more, whatever it is asked: told once, before the failures of the
   * writes that it had accepted, each of which is still reported. It is given no write any more.
   * What concerns memory and addresses is still asked of it, and must not fail: with the keys that
   * it gives from now on nobody can do anything.
   *
   * @param code the backend's code, or 0
   * @param text what happened, and where known what to do
   */
  void nicFailed(int code, String text);
}
