package io.reactivetransfer;

/**
 * Another engine, as seen from this one. Made by {@link TransferEngine#peer}; the same address
 * gives the same object. Nothing is connected before the first transfer or message.
 */
public interface Peer {

  /** Its id; a restarted process has another one. */
  EngineId id();

  /** Its address. */
  PeerAddress address();
}
