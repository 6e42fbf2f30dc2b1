package io.reactivetransfer.staging;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes what concerns pieces out of what the engine's NIC reports. A write of no bytes may be the
 * end of one that came in pieces, so of those no length is told.
 */
final class MainSink implements CompletionSink {

  private final StagingDomain domain;
  private @Nullable CompletionSink engine;

  MainSink(StagingDomain domain) {
    this.domain = domain;
  }

  /** For the poll that was given this sink. */
  MainSink to(CompletionSink sink) {
    engine = sink;
    return this;
  }

  private CompletionSink engine() {
    return Futures.present(engine);
  }

  @Override
  public void written(long token) {
    if (OwnTokens.isOwn(token)) {
      domain.reported(engine(), token, null, false);
    } else {
      engine().written(token);
    }
  }

  /** Of own tokens no two are of one run. */
  @Override
  public void written(long token, int writes) {
    if (OwnTokens.isOwn(token)) {
      domain.reported(engine(), token, null, false);
    } else {
      engine().written(token, writes);
    }
  }

  @Override
  public void failed(long token, int code, String text) {
    if (OwnTokens.isOwn(token)) {
      domain.reported(engine(), token, new Failure(code, text), false);
    } else {
      engine().failed(token, code, text);
    }
  }

  @Override
  public void refused(long token, int code, String text) {
    if (OwnTokens.isOwn(token)) {
      domain.reported(engine(), token, new Failure(code, text), true);
    } else {
      engine().refused(token, code, text);
    }
  }

  @Override
  public void immArrived(int imm, long bytes) {
    engine().immArrived(imm, known(bytes));
  }

  @Override
  public void immArrived(EngineId origin, int imm, long bytes) {
    engine().immArrived(origin, imm, known(bytes));
  }

  private static long known(long bytes) {
    return bytes == 0 ? UNKNOWN_BYTES : bytes;
  }

  @Override
  public void toPeer(RemotePeer peer, ByteBuffer message) {
    engine().toPeer(peer, message);
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    engine().peerLost(peer, code, text);
    domain.lost(peer, code, text, true);
  }

  @Override
  public void nicFailed(int code, String text) {
    engine().nicFailed(code, text);
    domain.broke(code, text);
  }
}
