package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.RemoteMemory;

/**
 * Memory of a peer.
 *
 * @param peer whose
 * @param address where offsets begin
 * @param rkey what its NIC knows it by
 */
record RemoteVerbsMemory(VerbsPeer peer, long address, int rkey) implements RemoteMemory {

  @Override
  public String toString() {
    return "RemoteVerbsMemory[of " + peer + "]";
  }
}
