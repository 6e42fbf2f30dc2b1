package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.origin.FlightControl;
import io.reactivetransfer.engine.peers.NicFailures;
import io.reactivetransfer.engine.peers.NicMessages;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.engine.peers.Peers;
import io.reactivetransfer.engine.target.ImmTable;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Leads what a NIC reports to where it belongs. Writes of one flight that are reported one after
 * another, such as the pages of one transfer, are led there together, before anything else is.
 */
final class Completions implements CompletionSink {

  private final Nics nics;
  private final Peers peers;
  private final FlightControl flights;
  private final ImmTable imms;
  private final NicMessages nicMessages;
  private final NicFailures nicFailures;
  private int nic;
  private long token;
  private int run;

  /** Who has written what arrived last, and how many pieces of it were not counted as his yet. */
  private @Nullable EngineId origin;

  private int arrived;
  private long arrivedBytes;

  Completions(
      Nics nics,
      Peers peers,
      FlightControl flights,
      ImmTable imms,
      NicMessages nicMessages,
      NicFailures nicFailures) {
    this.nics = nics;
    this.peers = peers;
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
      endArrivals();
    }
  }

  @Override
  public void written(long token) {
    if (run != 0 && !Operation.areOfOneRun(token, this.token)) {
      endRun();
    }
    if (run++ == 0) {
      this.token = token;
    }
  }

  @Override
  public void written(long token, int writes) {
    endRun();
    if (writes > 0) {
      flights.written(nic, token, writes);
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
  public void immArrived(int imm, long bytes) {
    nics.traffic(nic).arrived(1, known(bytes));
    imms.came(null, 1);
    imms.arrived(null, imm);
  }

  @Override
  public void immArrived(EngineId origin, int imm, long bytes) {
    long known = known(bytes);
    nics.traffic(nic).arrived(1, known);
    if (!origin.equals(this.origin)) {
      endArrivals();
      this.origin = origin;
    }
    arrived++;
    arrivedBytes += known;
    imms.arrived(origin, imm);
  }

  /** What is unknown is not counted. */
  private static long known(long bytes) {
    return Math.max(0, bytes);
  }

  /** Counts what has come from one origin after another: it is looked for once. */
  private void endArrivals() {
    if (arrived != 0 && origin != null) {
      imms.came(origin, arrived);
      PeerLink peer = peers.find(origin);
      if (peer != null) {
        peer.traffic().arrived(arrived, arrivedBytes);
      }
    }
    arrived = 0;
    arrivedBytes = 0;
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
    nicFailures.wayLost(id, nic, text);
  }
}
