package io.reactivetransfer.engine.peers;

/**
 * What another engine says of one of its NICs. The arrays belong to the backend that made or
 * resolves them; nobody changes them.
 *
 * @param address the backend's address of the NIC
 * @param doorbellKey the key of the doorbell region on this NIC, the target of bare immediates
 */
@SuppressWarnings("ArrayRecordComponent")
public // never compared
record PeerNic(byte[] address, byte[] doorbellKey) {

  static final int MAX_ADDRESS_BYTES = 256;
  static final int MAX_KEY_BYTES = 64;
}
