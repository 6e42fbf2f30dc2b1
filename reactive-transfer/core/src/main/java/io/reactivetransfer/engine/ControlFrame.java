package io.reactivetransfer.engine;

import io.reactivetransfer.PeerAddress;
import java.nio.ByteBuffer;

/**
 * What engines say to each other over the backend's own messages: one byte that says which kind,
 * then the content.
 */
final class ControlFrame {

  /** The sender's address, the first thing that a peer is told. */
  static final byte HELLO = 1;

  /** A message of the application. */
  static final byte MESSAGE = 2;

  /** How many more messages the sender of this frame will take: 32 bits, big-endian. */
  static final byte CREDIT = 3;

  /** The kind. */
  static final int HEADER_BYTES = 1;

  /** No address is longer, so that every HELLO fits. */
  static final int MAX_HELLO_BYTES = 8 * 1024;

  private ControlFrame() {}

  static ByteBuffer hello(PeerAddress address) {
    byte[] bytes = address.toBytes();
    return ByteBuffer.allocate(HEADER_BYTES + bytes.length).put(HELLO).put(bytes).flip();
  }

  /** Copies the content. */
  static ByteBuffer message(ByteBuffer content) {
    ByteBuffer source = content.duplicate();
    return ByteBuffer.allocate(HEADER_BYTES + source.remaining()).put(MESSAGE).put(source).flip();
  }

  static ByteBuffer credit(int count) {
    return ByteBuffer.allocate(HEADER_BYTES + Integer.BYTES).put(CREDIT).putInt(count).flip();
  }
}
