package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The peers that an engine knows, by id. From any thread. */
final class Peers {

  private final Worker worker;
  private final ConcurrentHashMap<EngineId, PeerLink> byId = new ConcurrentHashMap<>();

  Peers(Worker worker) {
    this.worker = worker;
  }

  /**
   * The peer at this address.
   *
   * @throws TransferRejectedException if it is of another backend, or known under another address
   */
  PeerLink of(PeerAddress address) {
    if (!address.backend().equals(worker.address().backend())) {
      throw new TransferRejectedException(
          "expected a peer of backend "
              + worker.address().backend()
              + ", got one of backend "
              + address.backend(),
          Origin.peer(address.engine()),
          null);
    }
    PeerLink peer =
        byId.computeIfAbsent(
            address.engine(), id -> new PeerLink(worker, address, worker.nics().size()));
    if (!peer.address().equals(address)) {
      throw new TransferRejectedException(
          "engine " + address.engine().toShortString() + " is known under another address",
          Origin.peer(address.engine()),
          null);
    }
    return peer;
  }

  @Nullable PeerLink find(EngineId id) {
    return byId.get(id);
  }

  void forEach(Consumer<PeerLink> action) {
    byId.values().forEach(action);
  }
}
