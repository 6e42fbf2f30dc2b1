package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.RemoteMemory;
import java.util.ArrayList;
import java.util.List;
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
    /** It may not be written. */
    DENIED
  }

  /** What is not tried for so long is not wanted: a later refusal is the first one again. */
  private static final long UNWANTED_NANOS = 1_000_000_000;

  private final FabricPeer peer;
  private final Token token;
  private State state = State.NEW;
  private int session;
  private long ask;
  private byte[] landing = {};
  private @Nullable Initiator initiator;

  /** Those over which it has led, as long as they may be open. */
  private final List<Initiator> ways = new ArrayList<>(1);

  private boolean inAdvance;
  private boolean left;
  private long base;
  private long key;
  private long length;
  private String denial = "";
  private long deniedNanos;
  private int outstanding;
  private long askedNanos;
  private boolean refused;
  private long refusedNanos;
  private long triedNanos;

  Route(FabricPeer peer, Token token) {
    this.peer = peer;
    this.token = token;
  }

  FabricPeer peer() {
    return peer;
  }

  Token token() {
    return token;
  }

  /** Where it stands; what was told in an earlier session does not count any more. */
  State state() {
    if (state != State.DENIED && session != peer.session()) {
      session = peer.session();
      state = State.NEW;
      initiator = null;
      refused = false;
    }
    return state;
  }

  void asked(long number, long now) {
    session = peer.session();
    state = State.ASKED;
    ask = number;
    askedNanos = now;
  }

  long askedNanos() {
    return askedNanos;
  }

  /** The number of the question that is out; 0 if none is. */
  long openAsk() {
    return state() == State.ASKED ? ask : 0;
  }

  void open(byte[] landing, long base, long key, long length) {
    this.state = State.OPEN;
    this.inAdvance = false;
    this.initiator = null;
    this.landing = landing;
    this.base = base;
    this.key = key;
    this.length = length;
  }

  /** Whether it is being asked for although nothing is to be written there yet. */
  void inAdvance(boolean is) {
    inAdvance = is;
  }

  /** Whether it was asked for in advance, and has been neither opened nor written to since. */
  boolean isInAdvance() {
    return inAdvance;
  }

  /** As if nobody had asked. */
  void forget() {
    state = State.NEW;
  }

  void deny(String reason, long now) {
    state = State.DENIED;
    denial = reason;
    deniedNanos = now;
  }

  long deniedNanos() {
    return deniedNanos;
  }

  /** What the peer has told of the endpoint that it leads to. */
  byte[] landing() {
    return landing;
  }

  /** The way there; null if none was looked for. */
  @Nullable Initiator initiator() {
    return initiator;
  }

  void initiator(Initiator way) {
    initiator = way;
    if (!ways.contains(way)) {
      ways.removeIf(before -> before.closed() != null);
      ways.add(way);
      way.entered();
    }
  }

  /** It is needed no more; the ways that nobody needs now. */
  List<Initiator> leave() {
    List<Initiator> unused = ways.stream().filter(Initiator::left).toList();
    ways.clear();
    initiator = null;
    left = true;
    return unused;
  }

  /** Whether it is needed no more, though its peer may still say where it leads. */
  boolean isLeft() {
    return left;
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

  /**
   * Takes note of a refusal by the provider.
   *
   * @return for how long it has been refusing what was wanted all the time; 0 for the first time
   */
  long refusedFor(long now) {
    if (!refused || now - triedNanos > UNWANTED_NANOS) {
      refused = true;
      refusedNanos = now;
    }
    triedNanos = now;
    return now - refusedNanos;
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
