package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.RemotePeer;
import org.jspecify.annotations.Nullable;

/** The NIC of another engine. */
final class TcpPeer implements RemotePeer {

  private final Path.Key key;
  private final NicAddress address;

  /** Spares the look-up for each write; may be one that has gone since. */
  @Nullable Path path;

  TcpPeer(EngineId engine, int nic, NicAddress address) {
    this.key = new Path.Key(engine, nic);
    this.address = address;
  }

  NicAddress address() {
    return address;
  }

  Path.Key key() {
    return key;
  }
}
