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

  private final List<Fence> fences = new ArrayList<>();

  /**
   * Somebody waits until nothing of it comes any more.
   *
   * @param lastSerial of the last connection that is waited for
   */
  record Fence(CompletableFuture<Void> stage, long lastSerial) {

    boolean isOver(List<Connection> ending) {
      return ending.stream().noneMatch(each -> each.serial() <= lastSerial);
    }
  }

  /** What it has told of a connection for which this side has none yet. */
  @Nullable Hello heldHello;

  /** The present one; null if none is wanted. */
  @Nullable Connection connection;

  /** Those that are being ended. */
  private final List<Connection> ending = new ArrayList<>();

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

  List<Connection> ending() {
    return ending;
  }

  /** Whether there is something that is lost with the way to it. */
  boolean isInUse() {
    return connection != null
        || !again.isEmpty()
        || ending.stream().anyMatch(each -> each.keepsRest);
  }

  List<Fence> fences() {
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
