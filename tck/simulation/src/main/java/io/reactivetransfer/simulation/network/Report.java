package io.reactivetransfer.simulation.network;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import java.util.concurrent.CompletableFuture;

/** What a NIC has to tell its engine at the next poll. */
sealed interface Report {

  /** Tells it. */
  void tell(CompletionSink sink);

  /** A write is done. */
  record Written(long token) implements Report {
    @Override
    public void tell(CompletionSink sink) {
      sink.written(token);
    }
  }

  /**
   * A write has failed.
   *
   * @param refused whether it was refused, so has not arrived
   */
  record Failed(long token, int code, String text, boolean refused) implements Report {
    @Override
    public void tell(CompletionSink sink) {
      if (refused) {
        sink.refused(token, code, text);
      } else {
        sink.failed(token, code, text);
      }
    }
  }

  /** An immediate has come. */
  record Arrived(EngineId origin, int imm, long bytes) implements Report {
    @Override
    public void tell(CompletionSink sink) {
      sink.immArrived(origin, imm, bytes);
    }
  }

  /** The NIC can do nothing more. */
  record NicFailed(SimulatedDomain domain) implements Report {
    @Override
    public void tell(CompletionSink sink) {
      domain.failureTold();
      sink.nicFailed(LinkEnd.DEVICE, "the NIC is broken for good");
    }
  }

  /** Something to say to a NIC of a peer. */
  record Said(LinkEnd end, SimulatedPeer to, byte what) implements Report {
    @Override
    public void tell(CompletionSink sink) {
      sink.toPeer(to, end.message(what));
    }
  }

  /** What came of a peer that was given up is told. */
  record Fenced(CompletableFuture<Void> fence) implements Report {
    @Override
    public void tell(CompletionSink sink) {
      fence.complete(null);
    }
  }

  /** The way to a peer is lost. */
  record Lost(EngineId peer, String text) implements Report {
    @Override
    public void tell(CompletionSink sink) {
      sink.peerLost(peer, LinkEnd.LOST, text);
    }
  }
}
