package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.RemotePeer;
import org.jspecify.annotations.Nullable;

/** The NIC of another engine. */
final class TcpPeer implements RemotePeer {

  /** What two peers have in common that share a connection. */
  record Key(EngineId engine, NicAddress address) {}

  private final Key key;
  private final int nic;

  /** Spares the look-up for each write; may be one that has gone since. */
  @Nullable OutboundLink link;

  TcpPeer(EngineId engine, int nic, NicAddress address) {
    this.key = new Key(engine, address);
    this.nic = nic;
  }

  /** Its number among the NICs of its engine. */
  int nic() {
    return nic;
  }

  Key key() {
    return key;
  }
}
