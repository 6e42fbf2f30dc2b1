package io.reactivetransfer.ibverbs;

import org.jspecify.annotations.Nullable;

/**
 * One queue pair of this NIC, from when it is wanted until it is closed. A peer may get several,
 * one after the other: one that has failed is never mended.
 */
final class Connection {

  /** Where it stands. */
  enum State {
    /** It is being made. */
    OPENING,
    /** The peer has been told of it, and has not told of its own. */
    OFFERED,
    /** It is being connected with that of the peer. */
    CONNECTING,
    /** It can receive; whether the peer's can is not known yet. */
    ACCEPTED,
    /** Both can. */
    READY,
    /** It is being ended. */
    CLOSING,
    /** Nothing is sent or received over it any more. */
    CLOSED
  }

  private final VerbsPeer peer;
  private final long serial;

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

  /** What the peer has told of its own. */
  @Nullable Hello peersHello;

  /** The peer has said that its own is connected. */
  boolean isPeerReady;

  /** Writes since the last one whose completion was asked for. */
  int unsignalled;

  /** Why it ends. */
  @Nullable Failure end;

  /** It ends because the peer has begun anew, of which this side has not yet seen why. */
  boolean isReplacedByPeer;

  /** What has certainly not begun when it ends is posted again over the next one. */
  boolean keepsRest;

  /** How often the completion queue had been found empty, and how much read, when it had to be. */
  long emptied;

  long read;

  /** When a step of ending it is tried again that was refused, by {@link System#nanoTime()}. */
  long againNanos;

  boolean wasRefused;

  Connection(VerbsPeer peer, long serial, SendSlots slots) {
    this.peer = peer;
    this.serial = serial;
    out = new Lane(slots);
    chain = new Lane(slots);
  }

  VerbsPeer peer() {
    return peer;
  }

  /** Tells it from those before it. */
  long serial() {
    return serial;
  }

  Lane out() {
    return out;
  }

  Lane chain() {
    return chain;
  }

  /** The serial number of the peer's own; 0 if that is not known. */
  long peerSerial() {
    return peersHello == null ? 0 : peersHello.serial();
  }

  boolean isReady() {
    return state == State.READY;
  }

  /** Whether it is too early to try a step again that was refused. */
  boolean isWaiting(long now) {
    return wasRefused && now - againNanos < 0;
  }

  boolean isEnding() {
    return state == State.CLOSING || state == State.CLOSED;
  }
}
