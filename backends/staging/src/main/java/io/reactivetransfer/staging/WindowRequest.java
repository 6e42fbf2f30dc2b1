package io.reactivetransfer.staging;

import java.nio.ByteBuffer;

/** What a peer says that asks for a window. */
final class WindowRequest {

  final StagedPeer peer;

  /** The window's id. */
  final long window;

  /** What is to be written. */
  final StagedKey key;

  /** How the peer wants to be told that a slot was emptied. */
  final int[] noteImms = new int[OutWindow.SLOTS];

  /** And where. */
  final byte[] notesKey;

  /** Of the peer's second NIC. */
  final byte[] address;

  /**
   * Reads it.
   *
   * @throws java.nio.BufferUnderflowException if it is too short
   */
  WindowRequest(StagedPeer peer, ByteBuffer message) {
    this.peer = peer;
    window = message.getLong();
    key = new StagedKey(message.getLong(), message.getLong());
    for (int i = 0; i < noteImms.length; i++) {
      noteImms[i] = message.getInt();
    }
    notesKey = Messages.bytes(message);
    address = Messages.bytes(message);
  }
}
