package io.reactivetransfer.spring;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells several recorders everything, in their order, each once. One that throws keeps nothing from
 * those behind it: the first failure is thrown when all have been told, for the engine to count.
 */
final class RecorderChain implements EngineRecorder {

  private final List<EngineRecorder> recorders;

  /**
   * Of these; one that is among them twice, such as by a bean and by a customizer, is told once.
   */
  RecorderChain(List<EngineRecorder> recorders) {
    Set<EngineRecorder> known = Collections.newSetFromMap(new IdentityHashMap<>());
    this.recorders = recorders.stream().filter(known::add).toList();
  }

  private void tell(Consumer<EngineRecorder> what) {
    Throwable first = null;
    for (EngineRecorder recorder : recorders) {
      try {
        what.accept(recorder);
      } catch (Throwable e) { // also a class that one of them does not find
        if (first == null) {
          first = e;
        } else if (!first.equals(e)) { // nothing suppresses itself
          first.addSuppressed(e);
        }
      }
    }
    switch (first) {
      case null -> {}
      case Error error -> throw error;
      case RuntimeException exception -> throw exception;
      default -> throw new UndeclaredThrowableException(first);
    }
  }

  @Override
  public void opened(TransferEngine engine) {
    tell(recorder -> recorder.opened(engine));
  }

  @Override
  public void closed(TransferEngine engine, @Nullable Throwable reason) {
    tell(recorder -> recorder.closed(engine, reason));
  }

  @Override
  public void peerFound(Peer peer) {
    tell(recorder -> recorder.peerFound(peer));
  }

  @Override
  public void peerLost(Peer peer, PeerUnreachableException reason) {
    tell(recorder -> recorder.peerLost(peer, reason));
  }

  @Override
  public void nicFailed(EngineId engine, Nic nic, String reason) {
    tell(recorder -> recorder.nicFailed(engine, nic, reason));
  }

  @Override
  public void wayLost(Peer peer, Nic nic, String reason) {
    tell(recorder -> recorder.wayLost(peer, nic, reason));
  }

  @Override
  public void transferFailed(Peer peer, Nic nic, TransferException reason) {
    tell(recorder -> recorder.transferFailed(peer, nic, reason));
  }

  @Override
  public void transferRejected(EngineId engine, TransferException reason) {
    tell(recorder -> recorder.transferRejected(engine, reason));
  }

  @Override
  public void streamEnded(EngineId engine, StreamEnd end) {
    tell(recorder -> recorder.streamEnded(engine, end));
  }

  @Override
  public void revocationOverdue(Peer peer) {
    tell(recorder -> recorder.revocationOverdue(peer));
  }

  @Override
  public void defect(EngineId engine, String text) {
    tell(recorder -> recorder.defect(engine, text));
  }
}
