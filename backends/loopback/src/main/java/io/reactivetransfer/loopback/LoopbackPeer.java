package io.reactivetransfer.loopback;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.RemotePeer;
import org.jspecify.annotations.Nullable;

/** Another NIC as one domain sees it. Belongs to that domain's thread. */
final class LoopbackPeer implements RemotePeer {

  private final EngineId engine;
  private final LoopbackAddress address;
  private @Nullable Link link;

  LoopbackPeer(EngineId engine, LoopbackAddress address) {
    this.engine = engine;
    this.address = address;
  }

  /** The engine that is wanted there. */
  EngineId engine() {
    return engine;
  }

  LoopbackAddress address() {
    return address;
  }

  /** The link that was used last, which may be lost; null before the first use. */
  @Nullable Link link() {
    return link;
  }

  void use(Link link) {
    this.link = link;
  }
}
