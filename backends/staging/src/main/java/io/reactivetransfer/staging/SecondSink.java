package io.reactivetransfer.staging;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Takes what the second NIC reports, all of which is ours. */
final class SecondSink implements CompletionSink {

  private final StagingDomain domain;
  private @Nullable CompletionSink engine;

  SecondSink(StagingDomain domain) {
    this.domain = domain;
  }

  /** For the poll that was given this sink. */
  SecondSink to(CompletionSink sink) {
    engine = sink;
    return this;
  }

  private CompletionSink engine() {
    return Futures.present(engine);
  }

  @Override
  public void written(long token) {
    domain.reported(engine(), token, null, false);
  }

  @Override
  public void failed(long token, int code, String text) {
    domain.reported(engine(), token, new Failure(code, text), false);
  }

  @Override
  public void refused(long token, int code, String text) {
    domain.reported(engine(), token, new Failure(code, text), true);
  }

  @Override
  public void immArrived(int imm, long bytes) {
    domain.arrived(imm);
  }

  @Override
  public void toPeer(RemotePeer peer, ByteBuffer message) {
    StagedPeer known = domain.findSecond(peer);
    int length = message.remaining();
    if (length > Messages.MOST_CARRIED_BYTES) {
      nicFailed(
          0,
          "expected at most "
              + Messages.MOST_CARRIED_BYTES
              + " bytes that it says at once to the one of a peer, got "
              + length);
    } else if (known != null) {
      engine().toPeer(known.main(), Messages.carry(message));
    }
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    // Else it may be the answer to a loss that the first NIC has told, which would be told twice,
    // and
    // answered by that one in turn, and so on.
    if (domain.hasWindows(peer)) {
      engine().peerLost(peer, code, text);
      domain.lost(peer, code, text, false);
    }
  }

  @Override
  public void nicFailed(int code, String text) {
    domain.secondBroke(code, text);
  }
}
