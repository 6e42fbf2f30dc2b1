package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.engine.origin.FlightControl;
import io.reactivetransfer.engine.peers.NicFailures;
import io.reactivetransfer.engine.peers.NicMessages;
import io.reactivetransfer.engine.target.ImmTable;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;

/**
 * Leads what a NIC reports to where it belongs. Writes of one flight that are reported one after
 * another, such as the pages of one transfer, are led there together, before anything else is.
 */
final class Completions implements CompletionSink {

  private final FlightControl flights;
  private final ImmTable imms;
  private final NicMessages nicMessages;
  private final NicFailures nicFailures;
  private int nic;
  private long token;
  private int run;

  Completions(
      FlightControl flights, ImmTable imms, NicMessages nicMessages, NicFailures nicFailures) {
    this.flights = flights;
    this.imms = imms;
    this.nicMessages = nicMessages;
    this.nicFailures = nicFailures;
  }

  /** Has a NIC say what it knows. */
  int poll(int nic, Domain domain) {
    this.nic = nic;
    try {
      return domain.poll(this);
    } finally {
      endRun();
    }
  }

  @Override
  public void written(long token) {
    if (token != this.token) {
      endRun();
      this.token = token;
    }
    run++;
  }

  @Override
  public void written(long token, int writes) {
    if (writes > 0) {
      written(token);
      run += writes - 1;
    }
  }

  private void endRun() {
    int writes = run;
    if (writes != 0) {
      run = 0;
      flights.written(nic, token, writes);
    }
  }

  @Override
  public void failed(long token, int code, String text) {
    endRun();
    flights.failed(nic, token, code, text, false);
  }

  @Override
  public void refused(long token, int code, String text) {
    endRun();
    flights.failed(nic, token, code, text, true);
  }

  @Override
  public void immArrived(int imm) {
    imms.arrived(null, imm);
  }

  @Override
  public void immArrived(EngineId origin, int imm) {
    imms.arrived(origin, imm);
  }

  @Override
  public void toPeer(RemotePeer peer, ByteBuffer message) {
    endRun();
    nicMessages.say(nic, peer, message);
  }

  @Override
  public void nicFailed(int code, String text) {
    endRun();
    nicFailures.failed(nic, code, text);
  }

  @Override
  public void peerLost(EngineId id, int code, String text) {
    endRun();
    nicFailures.wayLost(id, nic);
  }
}
