package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.RemoteMemory;
import org.jspecify.annotations.Nullable;

/** The way to the memory of a peer: unknown until the peer was asked and has told it. */
final class Route implements RemoteMemory {

  /** Where a route stands. */
  enum State {
    /** Nobody was asked. */
    NEW,
    /** The peer was asked. */
    ASKED,
    /** It may be written. */
    OPEN,
    /** It may never be written. */
    DENIED
  }

  /** Keeps the peer from being forgotten as long as there is this route. */
  private final HeldPeer holder;

  private final Token token;
  private State state = State.NEW;
  private int conversation;
  private byte[] landing = {};
  private @Nullable Initiator initiator;
  private long base;
  private long key;
  private long length;
  private String denial = "";
  private int outstanding;
  private long askedNanos;
  private long refusedNanos;
  private long triedNanos;
  private boolean refused;

  Route(HeldPeer holder, Token token) {
    this.holder = holder;
    this.token = token;
  }

  FabricPeer peer() {
    return holder.peer();
  }

  Token token() {
    return token;
  }

  /** Where it stands; what was told before the peer was lost does not count any more. */
  State state() {
    if (state != State.DENIED && conversation != peer().epoch()) {
      forget();
    }
    return state;
  }

  void asked(long now) {
    conversation = peer().epoch();
    state = State.ASKED;
    askedNanos = now;
  }

  void open(byte[] landing, long base, long key, long length) {
    this.state = State.OPEN;
    this.initiator = null;
    this.landing = landing;
    this.base = base;
    this.key = key;
    this.length = length;
  }

  void deny(String reason) {
    state = State.DENIED;
    denial = reason;
  }

  void forget() {
    conversation = peer().epoch();
    state = State.NEW;
    initiator = null;
    refused = false;
  }

  /** The name of the endpoint that it leads to. */
  byte[] landing() {
    return landing;
  }

  /** The way there; null if none was looked for. */
  @Nullable Initiator initiator() {
    return initiator;
  }

  void initiator(Initiator way) {
    initiator = way;
  }

  /** What an offset is added to. */
  long base() {
    return base;
  }

  long key() {
    return key;
  }

  /** Whether the peer has said that its memory is so long. */
  boolean holds(long offset, long bytes) {
    return offset >= 0 && bytes >= 0 && bytes <= length - offset;
  }

  String denial() {
    return denial;
  }

  void posted() {
    outstanding++;
    refused = false;
  }

  void ended() {
    outstanding--;
  }

  /** Whether a refusal cannot come from what is out on this very route. */
  boolean isIdle() {
    return outstanding == 0;
  }

  /** Takes note of a refusal by the provider: when the first one since the last write was. */
  void refused(long now) {
    triedNanos = now;
    if (!refused) {
      refused = true;
      refusedNanos = now;
    }
  }

  /** Nobody wants to write there any more: a refusal counts from the next try on. */
  void abandoned() {
    refused = false;
  }

  /** How long ago a write was tried and refused. */
  long triedBefore(long now) {
    return now - triedNanos;
  }

  boolean isRefused() {
    return refused;
  }

  /** How long ago its peer was asked. */
  long askedBefore(long now) {
    return now - askedNanos;
  }

  /** How long the provider has been refusing. */
  long refusedFor(long now) {
    return refused ? now - refusedNanos : 0;
  }

  /** Time until now that does not count for what its peer is expected to do. */
  void nobodyLookedFor(long nanos, long now) {
    askedNanos = FabricPeer.later(askedNanos, nanos, now);
    refusedNanos = FabricPeer.later(refusedNanos, nanos, now);
  }

  /** What is wrong with a range that it does not hold. */
  String outside(long offset, long bytes) {
    return "expected a range within the "
        + length
        + " bytes of the target, got "
        + bytes
        + " at "
        + offset;
  }
}
