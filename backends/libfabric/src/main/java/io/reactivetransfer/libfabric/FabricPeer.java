package io.reactivetransfer.libfabric;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A NIC of another engine, and how things stand with it. */
final class FabricPeer {

  /**
   * A frame that waits until it is taken over.
   *
   * @param type what it is
   * @param content what it says
   */
  record Waiting(Frame.Type type, ByteBuffer content) {}

  private final EngineId engine;
  private final long instance;
  private final byte[] name;

  // what is said to it
  private int epoch;
  private long nextNumber;
  private final Queue<Waiting> outbox = new ArrayDeque<>();
  private int sending;

  private final Hearing hearing = new Hearing();

  // writes
  private final Map<Long, Route> asks = new HashMap<>();
  private final Set<Route> refusing = new HashSet<>();

  // trouble
  private final Queue<Failure> failures = new ArrayDeque<>();
  private @Nullable Failure loss;
  private boolean left;
  private boolean needy;
  private boolean waits;
  private long waitingNanos;
  private boolean refused;
  private long refusedNanos;
  private long triedNanos;

  /** A peer to which nothing was said so far. */
  FabricPeer(EngineId engine, long instance, byte[] name) {
    this(engine, instance, name, 1);
  }

  /**
   * A peer that may have been known, and was forgotten.
   *
   * @param epoch later than any in which it was spoken to
   */
  FabricPeer(EngineId engine, long instance, byte[] name, int epoch) {
    this.engine = engine;
    this.instance = instance;
    this.name = name;
    this.epoch = epoch;
  }

  EngineId engine() {
    return engine;
  }

  long instance() {
    return instance;
  }

  /** Its endpoint for messages. */
  byte[] name() {
    return name;
  }

  // ---- the conversation ----

  /** Of what is said to it: counted up with each loss. */
  int epoch() {
    return epoch;
  }

  /** The number of the next frame, which it is taken by. */
  long nextNumber() {
    return nextNumber;
  }

  void numbered() {
    nextNumber++;
  }

  /** Begins anew: what was said counts no more, and what is heard of the old epoch neither. */
  void startOver() {
    epoch++;
    nextNumber = 0;
    outbox.clear();
    asks.clear();
    refusing.clear();
    waits = false;
    refused = false;
  }

  /** It was closed, and will not come back. */
  void leave() {
    left = true;
  }

  boolean hasLeft() {
    return left;
  }

  /** What is heard of it. */
  Hearing hearing() {
    return hearing;
  }

  Queue<Waiting> outbox() {
    return outbox;
  }

  /** Buffers that are on their way to it. */
  int sending() {
    return sending;
  }

  void sendingChanged(int by) {
    sending += by;
  }

  // ---- writes ----

  /** The routes that it was asked for and has not told, by the number of the ask. */
  Map<Long, Route> asks() {
    return asks;
  }

  /** The routes on which the provider refuses. */
  Set<Route> refusing() {
    return refusing;
  }

  // ---- trouble ----

  /** What failed and is reported when it is known whether the peer is alive. */
  Queue<Failure> failures() {
    return failures;
  }

  @Nullable Failure loss() {
    return loss;
  }

  void loss(@Nullable Failure reason) {
    loss = reason;
  }

  /** Whether it is among those that are looked after. */
  boolean isNeedy() {
    return needy;
  }

  void needy(boolean looksAfter) {
    needy = looksAfter;
  }

  /** It was asked something at this time, or before. */
  void waitsSince(long now) {
    if (!waits) {
      waits = true;
      waitingNanos = now;
    }
  }

  /** It has said something. */
  void spoke(long now) {
    waitingNanos = now;
    refused = false;
  }

  /** What it has said was taken to the books: perhaps it was the last answer. */
  void answered() {
    waits = waits && !asks.isEmpty();
  }

  /** How long it has not answered. */
  long silentFor(long now) {
    return waits ? now - waitingNanos : 0;
  }

  /** Takes note that a message was not taken over: when the first one since the last taken was. */
  void refused(long now) {
    triedNanos = now;
    if (!refused) {
      refused = true;
      refusedNanos = now;
    }
  }

  /** A message was taken over. */
  void taken() {
    refused = false;
  }

  boolean isRefused() {
    return refused;
  }

  /** How long ago a message was tried and refused. */
  long triedBefore(long now) {
    return now - triedNanos;
  }

  /** Nobody wants to tell it anything any more: a refusal counts from the next try on. */
  void abandoned() {
    refused = false;
  }

  /** How long not even a message to it has been taken over. */
  long unreachableFor(long now) {
    return refused ? now - refusedNanos : 0;
  }

  /** Time until now that does not count for what is expected of it. */
  void nobodyLookedFor(long nanos, long now) {
    waitingNanos = later(waitingNanos, nanos, now);
    refusedNanos = later(refusedNanos, nanos, now);
    hearing.nobodyLookedFor(nanos, now);
    refusing.forEach(route -> route.nobodyLookedFor(nanos, now));
  }

  /** A time moved on by so many nanoseconds, and not beyond the present one. */
  static long later(long time, long nanos, long now) {
    return now - time < nanos ? now : time + nanos;
  }

  /** Whether nothing is out to it or due to it, as far as the engine does not hold it. */
  boolean canBeForgotten() {
    return sending == 0 && !needy && isWell();
  }

  /** Whether there is nothing to look after. */
  boolean isWell() {
    return !waits
        && !refused
        && failures.isEmpty()
        && loss == null
        && outbox.isEmpty()
        && !hearing.hasGap()
        && refusing.isEmpty();
  }
}
