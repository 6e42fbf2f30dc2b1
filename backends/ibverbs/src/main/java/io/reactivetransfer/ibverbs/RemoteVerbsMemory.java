package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.RemoteMemory;

/** Memory of a peer. Each is itself only, for the engine counts what it resolves and releases. */
final class RemoteVerbsMemory implements RemoteMemory {

  private final VerbsPeer peer;
  private final long address;
  private final int rkey;

  /**
   * As the peer has told of it.
   *
   * @param peer whose
   * @param address where offsets begin
   * @param rkey what its NIC knows it by
   */
  RemoteVerbsMemory(VerbsPeer peer, long address, int rkey) {
    this.peer = peer;
    this.address = address;
    this.rkey = rkey;
  }

  VerbsPeer peer() {
    return peer;
  }

  long address() {
    return address;
  }

  int rkey() {
    return rkey;
  }
}
