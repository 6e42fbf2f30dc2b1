package io.reactivetransfer;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Two recorders, the first of which may be such a pair itself. Written out method by method, since
 * what is told for each transfer must allocate nothing.
 */
final class RecorderChain implements EngineRecorder {

  private final EngineRecorder first;
  private final EngineRecorder next;

  private RecorderChain(EngineRecorder first, EngineRecorder next) {
    this.first = first;
    this.next = next;
  }

  /** Of both, without those that do nothing, and with each that is in them once. */
  @SuppressWarnings("ReferenceEquality") // two recorders that are equal are two
  static EngineRecorder of(EngineRecorder first, EngineRecorder next) {
    Objects.requireNonNull(next, "next");
    if (next instanceof RecorderChain chain) {
      return of(of(first, chain.first), chain.next);
    }
    if (next == NONE || tells(first, next)) {
      return first;
    }
    return first == NONE ? next : new RecorderChain(first, next);
  }

  @SuppressWarnings("ReferenceEquality")
  private static boolean tells(EngineRecorder each, EngineRecorder sought) {
    return each == sought
        || (each instanceof RecorderChain chain
            && (tells(chain.first, sought) || tells(chain.next, sought)));
  }

  @Override
  public void opened(TransferEngine engine) {
    try {
      first.opened(engine);
    } finally {
      next.opened(engine);
    }
  }

  @Override
  public void closed(TransferEngine engine, @Nullable Throwable reason) {
    try {
      first.closed(engine, reason);
    } finally {
      next.closed(engine, reason);
    }
  }

  @Override
  public void peerFound(Peer peer) {
    try {
      first.peerFound(peer);
    } finally {
      next.peerFound(peer);
    }
  }

  @Override
  public void peerLost(Peer peer, PeerUnreachableException reason) {
    try {
      first.peerLost(peer, reason);
    } finally {
      next.peerLost(peer, reason);
    }
  }

  @Override
  public void nicFailed(EngineId engine, Nic nic, String reason) {
    try {
      first.nicFailed(engine, nic, reason);
    } finally {
      next.nicFailed(engine, nic, reason);
    }
  }

  @Override
  public void wayLost(Peer peer, Nic nic, String reason) {
    try {
      first.wayLost(peer, nic, reason);
    } finally {
      next.wayLost(peer, nic, reason);
    }
  }

  @Override
  public void transferFailed(Peer peer, Nic nic, TransferException reason) {
    try {
      first.transferFailed(peer, nic, reason);
    } finally {
      next.transferFailed(peer, nic, reason);
    }
  }

  @Override
  public void transferRejected(EngineId engine, TransferException reason) {
    try {
      first.transferRejected(engine, reason);
    } finally {
      next.transferRejected(engine, reason);
    }
  }

  @Override
  public boolean isToldOfStreams() {
    return first.isToldOfStreams() || next.isToldOfStreams();
  }

  @Override
  public void streamEnded(EngineId engine, StreamEnd end) {
    try {
      first.streamEnded(engine, end);
    } finally {
      next.streamEnded(engine, end);
    }
  }

  @Override
  public void revocationOverdue(Peer peer) {
    try {
      first.revocationOverdue(peer);
    } finally {
      next.revocationOverdue(peer);
    }
  }

  @Override
  public void stalled(EngineId engine, Duration took) {
    try {
      first.stalled(engine, took);
    } finally {
      next.stalled(engine, took);
    }
  }

  @Override
  public void defect(EngineId engine, String text) {
    try {
      first.defect(engine, text);
    } finally {
      next.defect(engine, text);
    }
  }
}
