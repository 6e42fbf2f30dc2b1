package io.reactivetransfer.ibverbs;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.RemotePeer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A NIC of another engine, from when the engine of this one resolves it until it is released. Who
 * it is has been proved to the control channel, which carries what the two say to each other.
 */
final class VerbsPeer implements RemotePeer {

  private final EngineId engine;
  private final VerbsAddress address;

  /** Writes that have certainly not begun, of a connection that has ended. */
  private final Lane again;

  /** Who waits until nothing of it comes any more. */
  private final List<CompletableFuture<Void>> fences = new ArrayList<>();

  /** The present one; null if none is wanted. */
  @Nullable Connection connection;

  /** Those that are being ended. */
  int ending;

  /** Since when it is tried to connect. */
  long sinceNanos;

  /** Why the way to it was lost, as long as that was not reported. */
  @Nullable Failure loss;

  VerbsPeer(EngineId engine, VerbsAddress address, SendSlots slots) {
    this.engine = engine;
    this.address = address;
    again = new Lane(slots);
  }

  EngineId engine() {
    return engine;
  }

  VerbsAddress address() {
    return address;
  }

  Lane again() {
    return again;
  }

  List<CompletableFuture<Void>> fences() {
    return fences;
  }

  /** Its connection, if writes can be posted over it now. */
  @Nullable Connection ready() {
    Connection now = connection;
    return now != null && now.isReady() ? now : null;
  }

  @Override
  public String toString() {
    return "engine " + engine.toShortString() + " at " + address;
  }
}
