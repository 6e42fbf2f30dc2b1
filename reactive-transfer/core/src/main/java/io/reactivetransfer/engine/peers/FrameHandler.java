package io.reactivetransfer.engine.peers;

import java.nio.ByteBuffer;

/** Takes control frames of one kind. */
@FunctionalInterface
public interface FrameHandler {

  /**
   * A frame has come; it may hold anything.
   *
   * @param frame what is behind its kind
   * @return false if it is malformed, or must not come
   */
  boolean received(PeerLink peer, ByteBuffer frame);
}
