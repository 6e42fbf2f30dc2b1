package io.reactivetransfer.libfabric;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A NIC of another engine, and how things stand with it. */
final class FabricPeer implements RemotePeer {

  /** No number is expected: what comes in the present epoch is out of step. */
  private static final long OUT_OF_STEP = -1;

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
  private int epoch = 1;
  private long nextNumber;
  private final Queue<Waiting> outbox = new ArrayDeque<>();
  private int sending;

  // what is heard of it
  private int heardEpoch;
  private long expected = OUT_OF_STEP;

  // writes
  private @Nullable Initiator initiator;
  private final Map<Long, Route> asks = new HashMap<>();
  private final Map<Route, Boolean> refusing = new HashMap<>();

  // trouble
  private final Queue<Failure> failures = new ArrayDeque<>();
  private @Nullable Failure loss;
  private boolean needy;
  private boolean waits;
  private long waitingNanos;
  private boolean refused;
  private long refusedNanos;

  FabricPeer(EngineId engine, long instance, byte[] name) {
    this.engine = engine;
    this.instance = instance;
    this.name = name;
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

  /** What a frame is to the conversation. */
  enum Step {
    /** The one that is expected. */
    NEXT,
    /** The first of a new epoch: the peer had lost this NIC. */
    ANEW,
    /** Some are missing. */
    OUT_OF_STEP
  }

  /** Takes a frame's number to the books. */
  Step heard(int frameEpoch, long number) {
    if (frameEpoch == heardEpoch && number == expected) {
      expected++;
      return Step.NEXT;
    }
    if (number == 0 && frameEpoch > heardEpoch) {
      // Who listens to nothing has begun anew itself. That the peer does, too, is the answer; were
      // it taken for a loss, each side would begin anew because of the other, for ever.
      boolean answers = expected == OUT_OF_STEP;
      heardAnew(frameEpoch);
      return answers ? Step.NEXT : Step.ANEW;
    }
    return Step.OUT_OF_STEP;
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

  /** Goes on listening to an epoch whose first frame has come. */
  void heardAnew(int frameEpoch) {
    heardEpoch = frameEpoch;
    expected = 1;
  }

  /** Hears nothing more of the present epoch. */
  void stopListening() {
    expected = OUT_OF_STEP;
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

  @Nullable Initiator initiator() {
    return initiator;
  }

  void initiator(@Nullable Initiator endpoint) {
    initiator = endpoint;
  }

  /** The routes that it was asked for and has not told, by the number of the ask. */
  Map<Long, Route> asks() {
    return asks;
  }

  /** The routes on which the provider refuses. */
  Map<Route, Boolean> refusing() {
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
    waits = !asks.isEmpty();
    waitingNanos = now;
    refused = false;
  }

  /** How long it has not answered. */
  long silentFor(long now) {
    return waits ? now - waitingNanos : 0;
  }

  void refusedSince(long now) {
    if (!refused) {
      refused = true;
      refusedNanos = now;
    }
  }

  void taken() {
    refused = false;
  }

  /** How long not even a message to it has been taken over. */
  long unreachableFor(long now) {
    return refused ? now - refusedNanos : 0;
  }

  /** Whether there is nothing to look after. */
  boolean isWell() {
    return !waits
        && !refused
        && failures.isEmpty()
        && loss == null
        && outbox.isEmpty()
        && refusing.isEmpty();
  }
}
