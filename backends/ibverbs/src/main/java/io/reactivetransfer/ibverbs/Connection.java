package io.reactivetransfer.ibverbs;

import org.jspecify.annotations.Nullable;

/**
 * One queue pair of this NIC, from when it is wanted until it is closed, connected with one of a
 * peer: an outgoing one for own writes, or an incoming one for those of the peer. A peer may get
 * several, one after the other: one that has failed is never mended.
 */
final class Connection {

  /** Where it stands. */
  enum State {
    /** It is being made. */
    OPENING,
    /** The peer was asked for one that receives, and has not answered. */
    REQUESTED,
    /** It is being connected with that of the peer. */
    CONNECTING,
    /** Writes can be posted over it, or come by it. */
    READY,
    /** It is being ended. */
    CLOSING,
    /** Nothing is sent or received over it any more. */
    CLOSED
  }

  private final VerbsPeer peer;
  private final long serial;
  private final boolean isIncoming;

  /** What was posted and is not complete, oldest first. */
  private final Lane out;

  /** What was taken over and not posted. */
  private final Lane chain;

  State state = State.OPENING;

  /** 0 as long as there is none. */
  long qp;

  /** By which completions and the peer name the queue pair. */
  int number;

  /** The number of the first packet that this side sends. */
  int psn;

  /** Up to so many bytes are copied into the request. */
  int inlineBytes;

  /** Writes since the last one whose completion was asked for. */
  int unsignalled;

  /** The queue pair of the peer is no more: what is out may be complete all the same. */
  boolean isEndedByPeer;

  /** Why it ends. */
  @Nullable Failure end;

  /** What has certainly not begun when it ends is posted again over the next one. */
  boolean keepsRest;

  /** A key of the peer under which a write was refused, if {@link #hasRefusedKey}. */
  int refusedKey;

  /** Where that memory begins, as its owner has named it. */
  long refusedBase;

  boolean hasRefusedKey;

  /** How often the completion queue had been found empty, and how much read, when it had to be. */
  long emptied;

  long read;

  /** When the next step of ending it is due, if it has to wait, by {@link System#nanoTime()}. */
  long againNanos;

  boolean wasRefused;

  /** How often it was tried to put the queue pair into the state of error. */
  int stops;

  /** It was begun to connect it: before, no packet concerns it. */
  boolean mayBeConnected;

  /** It was connected, and so may have taken shared receives. */
  boolean hasReceived;

  /** The device has said that it takes no more of the shared receives. */
  boolean hasTakenLastReceive;

  /** The device is expected to say so. */
  boolean awaitsLastReceive;

  /** An outgoing one. */
  Connection(VerbsPeer peer, long serial, SendSlots slots) {
    this(peer, serial, false, slots);
  }

  private Connection(VerbsPeer peer, long serial, boolean isIncoming, SendSlots slots) {
    this.peer = peer;
    this.serial = serial;
    this.isIncoming = isIncoming;
    out = new Lane(slots);
    chain = new Lane(slots);
  }

  /**
   * One that the peer has asked for.
   *
   * @param serial as the peer has numbered it
   */
  static Connection incoming(VerbsPeer peer, long serial, SendSlots slots) {
    return new Connection(peer, serial, true, slots);
  }

  /** Its queue pair is there. */
  void made(QueuePairs.Made made) {
    qp = made.qp();
    number = made.number();
    psn = made.psn();
    inlineBytes = made.inlineBytes();
  }

  VerbsPeer peer() {
    return peer;
  }

  /** Tells it from others of the same origin. */
  long serial() {
    return serial;
  }

  boolean isIncoming() {
    return isIncoming;
  }

  Lane out() {
    return out;
  }

  Lane chain() {
    return chain;
  }

  boolean isReady() {
    return state == State.READY;
  }

  /** Whether writes can be posted over it. */
  boolean takesWrites() {
    return state == State.READY && !isEndedByPeer;
  }

  /** Whether a task works on its queue pair. */
  boolean isBusy() {
    return state == State.OPENING || state == State.CONNECTING;
  }

  /** Whether it is too early for the next step of ending it. */
  boolean isWaiting(long now) {
    return (wasRefused || awaitsLastReceive) && now - againNanos < 0;
  }

  /** Whether that was still to be said when the time for it was over. */
  boolean hasWaitedInVain() {
    return awaitsLastReceive && !hasTakenLastReceive;
  }

  boolean isEnding() {
    return state == State.CLOSING || state == State.CLOSED;
  }
}
