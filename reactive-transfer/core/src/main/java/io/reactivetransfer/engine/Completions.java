package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;

/** Leads what a NIC reports to where it belongs. */
final class Completions implements CompletionSink {

  private final Worker worker;
  private int nic;

  Completions(Worker worker) {
    this.worker = worker;
  }

  /** What follows comes from this NIC. */
  void from(int nic) {
    this.nic = nic;
  }

  @Override
  public void written(long token) {
    worker.flights().written(nic, token);
  }

  @Override
  public void failed(long token, int code, String text) {
    worker.flights().failed(nic, token, code, text, false);
  }

  @Override
  public void refused(long token, int code, String text) {
    worker.flights().failed(nic, token, code, text, true);
  }

  @Override
  public void immArrived(int imm) {
    worker.imms().arrived(null, imm);
  }

  @Override
  public void immArrived(EngineId origin, int imm) {
    worker.imms().arrived(origin, imm);
  }

  @Override
  public void toPeer(RemotePeer peer, ByteBuffer message) {
    worker.nicMessages().say(nic, peer, message);
  }

  @Override
  public void received(EngineId sender, ByteBuffer bytes) {
    worker.control().received(sender, bytes);
  }

  @Override
  public void alive(EngineId id) {
    PeerLink peer = worker.peers().find(id);
    if (peer != null) {
      peer.heard();
    }
  }

  @Override
  public void nicFailed(int code, String text) {
    worker.nicFailures().failed(nic, code, text);
  }

  @Override
  public void peerLost(EngineId id, int code, String text) {
    // What a NIC that has failed thinks of others says nothing: they are reached by the rest.
    if (!worker.control().isCarriedByNics()) {
      worker.wayLost(id, nic, text);
    } else if (!worker.nics().hasFailed(nic)) {
      worker.control().peerLost(id, code, text);
    }
  }
}
