package io.reactivetransfer.engine;

import io.reactivetransfer.Nic;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.spi.BackendException;
import java.util.List;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * NICs that fail, ours and those of peers: the engine goes on with the others, as long as there are
 * any. Belongs to the worker.
 */
final class NicFailures {

  private static final Logger LOG = Loggers.getLogger(NicFailures.class);

  private final Worker worker;
  private volatile List<Nic> working = List.of();

  NicFailures(Worker worker) {
    this.worker = worker;
  }

  /** The NICs are open. */
  void begin(NicGroup nics) {
    working = nics.nics();
  }

  /** The NICs that have not failed. From any thread. */
  List<Nic> working() {
    return working;
  }

  /** One of ours can do nothing more. */
  void failed(int nic, int code, String text) {
    NicGroup nics = worker.nics();
    boolean wasFirst = nic == nics.first();
    if (!nics.fail(nic)) {
      return;
    }
    String engine = worker.id().toShortString();
    String name = nics.nics().get(nic).name();
    LOG.warn("engine {}: NIC {} failed and is not used any more: {}", engine, name, text);
    working = nics.working();
    if (nics.haveAllFailed()) {
      worker
          .shutdown()
          .begin(new BackendException(code, "the last NIC, " + name + ", failed: " + text));
      return;
    }
    worker
        .peers()
        .forEach(peer -> {
          if (!peer.mail.isKnownThere()) {
            return;
          }
          if (wasFirst && worker.control().isCarriedByNics()) {
            controlLost(peer, "NIC " + name + " failed, which carried messages to it");
          }
          worker.mailroom().nicsFailed(peer);
        });
  }

  /** A peer says that NICs of its own have failed. */
  void peerSays(PeerLink peer, int failed) {
    NicGroup nics = worker.nics();
    int control = peer.nics() == 0 ? 0 : peer.counterpart(nics.first());
    if (!peer.nicsFailed(failed, nics.domains())) {
      return;
    }
    if (worker.control().isCarriedByNics()
        && peer.counterpart(nics.first()) != control
        && peer.mail.greeted) {
      controlLost(peer, "its NIC " + control + " failed, which carried messages");
    }
    worker.flights().rerouted(peer);
  }

  /** What was said to a peer may not have reached it: nobody can count on the connection. */
  private void controlLost(PeerLink peer, String why) {
    worker.peerLost(
        peer,
        new PeerUnreachableException(
            "peer " + peer + " was lost: " + why, Origin.peer(peer.id()), null));
  }
}
