package io.reactivetransfer.engine;

import io.reactivetransfer.Nic;
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
          if (peer.mail.isKnownThere()) {
            worker.mailroom().nicsFailed(peer);
            peer.fences().ask(nic); // what it had begun may still be on its way
          }
        });
  }

  /** A peer says that NICs of its own have failed. */
  void peerSays(PeerLink peer, int failed) {
    if (peer.nicsFailed(failed)) {
      worker.flights().rerouted(peer);
    }
  }
}
