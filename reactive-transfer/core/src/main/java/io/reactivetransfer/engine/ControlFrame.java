package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What engines say to each other over the backend's own messages: one byte that says which kind,
 * then the content.
 */
final class ControlFrame {

  /**
   * The first thing that a peer is told on each connection: 32 bits that say how many messages the
   * sender has sent so far, those that were lost included, then its address.
   */
  static final byte HELLO = 1;

  /** A message of the application. */
  static final byte MESSAGE = 2;

  /**
   * Up to which message, counted from the first one, the sender of this frame takes them: 32 bits,
   * big-endian.
   */
  static final byte CREDIT = 3;

  /** Asks for a sign of life. */
  static final byte ASK = 4;

  /** Gives one. */
  static final byte ALIVE = 5;

  /** A write was given up: 32 bits of the immediate, then the reason as UTF-8. */
  static final byte ABORT = 6;

  /**
   * The sender has entered a round of a barrier: 16 bytes of the group's id, 32 bits of the round.
   */
  static final byte BARRIER = 7;

  /** NICs of the sender have failed: one byte, a bit for each, by their number in its address. */
  static final byte NICS_FAILED = 8;

  private static final int MAX_REASON_CHARS = 500;

  /** The kind. */
  static final int HEADER_BYTES = 1;

  /** No address is longer, so that every HELLO fits. */
  static final int MAX_HELLO_BYTES = 8 * 1024;

  private ControlFrame() {}

  static ByteBuffer hello(PeerAddress address, int sent) {
    byte[] bytes = address.toBytes();
    return ByteBuffer.allocate(HEADER_BYTES + Integer.BYTES + bytes.length)
        .put(HELLO)
        .putInt(sent)
        .put(bytes)
        .flip();
  }

  /** Copies the content. */
  static ByteBuffer message(ByteBuffer content) {
    ByteBuffer source = content.duplicate();
    return ByteBuffer.allocate(HEADER_BYTES + source.remaining()).put(MESSAGE).put(source).flip();
  }

  static ByteBuffer ask() {
    return ByteBuffer.allocate(HEADER_BYTES).put(ASK).flip();
  }

  static ByteBuffer alive() {
    return ByteBuffer.allocate(HEADER_BYTES).put(ALIVE).flip();
  }

  static ByteBuffer abort(int imm, String reason) {
    String clipped = reason.substring(0, Math.min(reason.length(), MAX_REASON_CHARS));
    byte[] text = clipped.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(HEADER_BYTES + Integer.BYTES + text.length)
        .put(ABORT)
        .putInt(imm)
        .put(text)
        .flip();
  }

  static ByteBuffer barrier(EngineId group, int round) {
    return ByteBuffer.allocate(HEADER_BYTES + EngineId.BYTES + Integer.BYTES)
        .put(BARRIER)
        .putLong(group.high())
        .putLong(group.low())
        .putInt(round)
        .flip();
  }

  static ByteBuffer nicsFailed(int nics) {
    return ByteBuffer.allocate(HEADER_BYTES + 1).put(NICS_FAILED).put((byte) nics).flip();
  }

  static ByteBuffer credit(int limit) {
    return ByteBuffer.allocate(HEADER_BYTES + Integer.BYTES).put(CREDIT).putInt(limit).flip();
  }
}
