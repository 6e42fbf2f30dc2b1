package io.reactivetransfer.ibverbs;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.RemotePeer;
import java.util.ArrayList;
import java.util.List;
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

  /** What it has asked for. */
  record Request(long serial, SetUp.QueuePair from) {}

  /** The present one for own writes; null if none is wanted. */
  @Nullable Connection outgoing;

  /** The present one for its writes; null if it has asked for none. */
  @Nullable Connection incoming;

  /** What it asks for and is not begun yet. */
  @Nullable Request request;

  /** Those that are being ended. */
  private final List<Connection> ending = new ArrayList<>();

  /** Since when it is tried to connect, by the clock of {@link Outgoing}. */
  long sinceNanos;

  /** Whether it has ended a connection of this side, and when the last one. */
  boolean hasEndedOne;

  long endedNanos;

  /** Why the way to it was lost, as long as that was not reported. */
  @Nullable Failure loss;

  /** Before this time it is not tried to connect again, if it was lost. */
  private long notBeforeNanos;

  private boolean isLeftAlone;
  private boolean isReleased;

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
    return outgoing != null || !again.isEmpty() || ending.stream().anyMatch(each -> each.keepsRest);
  }

  /** A connection is not the present one any more, if it was. */
  @SuppressWarnings("ReferenceEquality") // the very same object
  void leave(Connection connection) {
    if (outgoing == connection) {
      outgoing = null;
    } else if (incoming == connection) {
      incoming = null;
    }
  }

  /** Whether both stand for the same NIC, one before the other. */
  boolean isSameNicAs(VerbsPeer other) {
    return engine.equals(other.engine) && address.equals(other.address);
  }

  /** It was lost, and is not tried again before this time, by {@link System#nanoTime()}. */
  void leaveAloneUntil(long nanos) {
    isLeftAlone = true;
    notBeforeNanos = nanos;
  }

  /** Something has changed, so that it can be tried again at once. */
  void leaveAloneNoMore() {
    isLeftAlone = false;
  }

  boolean isLeftAlone(long now) {
    return isLeftAlone && now - notBeforeNanos < 0;
  }

  void released() {
    isReleased = true;
  }

  boolean isReleased() {
    return isReleased;
  }

  /** Its connection, if writes can be posted over it now. */
  @Nullable Connection ready() {
    Connection now = outgoing;
    return now != null && now.takesWrites() ? now : null;
  }

  @Override
  public String toString() {
    return "engine " + engine.toShortString() + " at " + address;
  }
}
