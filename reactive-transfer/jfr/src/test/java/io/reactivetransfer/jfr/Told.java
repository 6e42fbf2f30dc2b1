package io.reactivetransfer.jfr;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Keeps what it was told of. */
final class Told implements EngineRecorder {

  final List<String> names = new CopyOnWriteArrayList<>();

  @Override
  public void opened(TransferEngine engine) {
    names.add("opened");
  }

  @Override
  public void closed(TransferEngine engine, @Nullable Throwable reason) {
    names.add("closed");
  }

  @Override
  public void peerFound(Peer peer) {
    names.add("peerFound");
  }

  @Override
  public void peerLost(Peer peer, PeerUnreachableException reason) {
    names.add("peerLost");
  }

  @Override
  public void streamEnded(EngineId engine, StreamEnd end) {
    names.add("streamEnded");
  }
}
