package io.reactivetransfer;

import java.nio.ByteBuffer;

/**
 * A small control message.
 *
 * @param sender who sent it
 * @param bytes the content, read-only; the receiver's to keep
 */
public record Message(Peer sender, ByteBuffer bytes) {

  /** Makes the content read-only. */
  public Message {
    bytes = bytes.asReadOnlyBuffer();
  }
}
