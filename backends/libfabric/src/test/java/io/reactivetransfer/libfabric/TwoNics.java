package io.reactivetransfer.libfabric;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;

/** Two NICs on one thread, which carries what they have to say to each other. */
final class TwoNics {

  private final Domain origin;
  private final Domain target;
  private final Recorder atOrigin;
  private final Recorder atTarget;
  private final RemotePeer toTarget;
  private final RemotePeer toOrigin;

  /** Of engines 1 and 2. */
  TwoNics(Domain origin, Recorder atOrigin, Domain target, Recorder atTarget) {
    this.origin = origin;
    this.atOrigin = atOrigin;
    this.target = target;
    this.atTarget = atTarget;
    this.toTarget = origin.resolve(new EngineId(2, 2), 0, target.address());
    this.toOrigin = target.resolve(new EngineId(1, 1), 0, origin.address());
  }

  /** The second one, as the first one knows it. */
  RemotePeer target() {
    return toTarget;
  }

  /** The session of their engines is over, on both sides. */
  void disconnect(String reason) {
    origin.disconnect(toTarget, reason);
    target.disconnect(toOrigin, reason);
    atOrigin.said().clear();
    atTarget.said().clear();
  }

  /** Polls both, and waits for neither. */
  void turn() {
    turn(origin, atOrigin, target, toOrigin);
    turn(target, atTarget, origin, toTarget);
  }

  private static void turn(Domain nic, Recorder sink, Domain other, RemotePeer self) {
    if (nic.poll(sink) == 0 && nic.waitDescriptors().length > 0) {
      nic.prepareWait();
    }
    for (byte[] next = sink.said().poll(); next != null; next = sink.said().poll()) {
      other.fromPeer(self, ByteBuffer.wrap(next));
    }
  }
}
