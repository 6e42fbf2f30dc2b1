package io.reactivetransfer.simulation.network;

import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;

/** Another NIC as one domain sees it. */
record SimulatedPeer(SimulatedDomain owner, SimulatedAddress address) implements RemotePeer {

  /** Memory of that NIC. */
  record Target(SimulatedPeer peer, long serial, long length) implements RemoteMemory {}
}
