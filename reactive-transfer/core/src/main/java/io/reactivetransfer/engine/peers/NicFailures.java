package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.Recording;
import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * NICs that fail, ours and those of peers: the engine goes on with the others, as long as there are
 * any. Belongs to the NIC thread.
 */
public final class NicFailures {

  private static final Logger LOG = Loggers.getLogger(NicFailures.class);

  private final Nics nics;
  private final Peers peers;
  private final Recording recording;
  private final Executor afterPoll;
  private final Consumer<Throwable> allFailed;

  /**
   * None yet.
   *
   * @param afterPoll when a NIC may be told to release peers: not while it reports that it failed
   * @param allFailed told why nothing can be done any more
   */
  public NicFailures(
      Peers peers, Recording recording, Executor afterPoll, Consumer<Throwable> allFailed) {
    this.nics = peers.nics();
    this.peers = peers;
    this.recording = recording;
    this.afterPoll = afterPoll;
    this.allFailed = allFailed;
  }

  /** One of ours can do nothing more. */
  public void failed(int nic, int code, String text) {
    if (!nics.fail(nic)) {
      return;
    }
    String engine = peers.ownAddress().engine().toShortString();
    String name = nics.name(nic);
    LOG.warn("engine {}: NIC {} failed and is not used any more: {}", engine, name, text);
    recording.tell(recorder -> recorder.nicFailed(recording.engine(), nics.nic(nic), text));
    if (nics.haveAllFailed()) {
      allFailed.accept(new BackendException(code, "the last NIC, " + name + ", failed: " + text));
      return;
    }
    peers.forEach(peer -> {
      if (peer.mail.isKnownThere()) {
        peer.mail.tellFailedNics();
        peer.fences().ask(nic); // what it had begun may still be on its way
      }
    });
    afterPoll.execute(() -> peers.nicFailed(nic));
  }

  /** One of ours has lost its way to a peer, to which others may have theirs. */
  public void wayLost(EngineId id, int nic, String text) {
    PeerLink peer = peers.find(id);
    if (peer != null && !nics.hasFailed(nic)) {
      peer.wayLost(nic, text);
      recording.tell(recorder -> recorder.wayLost(peer, nics.nic(nic), text));
    }
  }

  /** A peer says that NICs of its own have failed; false if it says otherwise. */
  public boolean received(PeerLink peer, ByteBuffer frame) {
    if (frame.remaining() != 1) {
      return false;
    }
    if (peer.nicsFailed(Byte.toUnsignedInt(frame.get()))) {
      peers.rerouted(peer);
    }
    return true;
  }
}
