package io.reactivetransfer.libfabric;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.FabricPeer.Waiting;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The NICs of other engines that this one has to do with: speaks with them, and finds out which are
 * gone. A provider does not say that: to a process that is dead it refuses writes for ever, as it
 * does while a connection is made. So a write that failed, or that is refused for long, makes this
 * NIC ask, and who does not answer in time is lost.
 */
final class Peers implements Letters.Handler, Writes.Handler {

  /** After that time of refusals, a route is asked for again: its endpoint may be gone. */
  private static final long REFUSED_NANOS = 50_000_000;

  /**
   * What was not tried for so long, and not since the last look either, is not wanted any more: the
   * writes that a route refused, or the message that was not taken over, were given up.
   */
  private static final long UNWANTED_NANOS = 1_000_000_000;

  /** So long a peer whose writes have failed may be one to which no message can be given. */
  private static final long UNREACHABLE_NANOS = 1_000_000_000;

  /**
   * Who has not looked for so long has not waited: what others have sent meanwhile may be there.
   */
  private static final long STALLED_NANOS = 250_000_000;

  /** Answers to one peer that wait to be taken over. */
  static final int MAX_ANSWERS = 8_192;

  private static final byte GIVEN_UP = 0;
  private static final byte CLOSED = 1;

  private final Letters letters;
  private final Writes writes;
  private final Asks asks;
  private final long connectNanos;
  private final LongSupplier clock;
  private final KnownPeers known;
  private final List<FabricPeer> needy = new ArrayList<>();
  private @Nullable CompletionSink current;
  private long lookedNanos;

  Peers(Letters letters, Writes writes, Asks asks, long connectNanos, LongSupplier clock) {
    this.letters = letters;
    this.writes = writes;
    this.known =
        new KnownPeers(peer -> {
          letters.forget(peer);
          writes.forget(peer);
        });
    this.asks = asks;
    this.connectNanos = connectNanos;
    this.clock = clock;
  }

  /** The NIC that an engine has asked for. */
  HeldPeer resolve(EngineId engine, long instance, byte[] name) {
    return known.resolve(engine, instance, name);
  }

  Collection<FabricPeer> all() {
    return known.all();
  }

  /** Whether something is expected of somebody. */
  boolean areNeedy() {
    return !needy.isEmpty();
  }

  private void lookAfter(FabricPeer peer) {
    if (!peer.isNeedy()) {
      peer.needy(true);
      if (needy.isEmpty()) {
        lookedNanos = clock.getAsLong();
      }
      needy.add(peer);
    }
  }

  // ---- what this side wants ----

  /** Asks where a route leads, unless it was asked. */
  void ask(Route route) {
    FabricPeer peer = route.peer();
    if (peer.hasLeft()) {
      lose(peer, 0, hasLeft(peer));
      return;
    }
    long now = clock.getAsLong();
    route.asked(now);
    peer.waitsSince(now);
    say(peer, Frame.Type.ASK, asks.ask(route));
  }

  /** A provider refuses to write; while something is out on the route, that is no wonder. */
  void refused(Route route) {
    if (route.isIdle()) {
      stuck(route);
    }
  }

  /** There is no way to write there, or it has ended. */
  void stuck(Route route) {
    route.refused(clock.getAsLong());
    route.peer().refusing().add(route);
    lookAfter(route.peer());
  }

  /** A message of the engine's, or a refusal. */
  boolean send(FabricPeer peer, ByteBuffer bytes) {
    if (peer.hasLeft()) {
      lose(peer, 0, hasLeft(peer));
      return false;
    }
    if (peer.outbox().isEmpty() && letters.send(peer, Frame.Type.CONTROL, bytes)) {
      peer.taken();
      return true;
    }
    peer.refused(clock.getAsLong());
    lookAfter(peer);
    return false;
  }

  private static String hasLeft(FabricPeer peer) {
    return "engine " + peer.engine().toShortString() + " was closed";
  }

  private void say(FabricPeer peer, Frame.Type type, byte[] content) {
    peer.outbox().add(new Waiting(type, ByteBuffer.wrap(content)));
    flush(peer);
    lookAfter(peer);
  }

  private void flush(FabricPeer peer) {
    if (peer.hasLeft()) {
      peer.outbox().clear();
    }
    Waiting first;
    while ((first = peer.outbox().peek()) != null) {
      if (!letters.send(peer, first.type(), first.content())) {
        peer.refused(clock.getAsLong()); // it waits here, and is tried in each turn
        return;
      }
      peer.taken();
      peer.outbox().remove();
    }
  }

  /** The engine has given a peer up. */
  void disconnect(FabricPeer peer, String reason) {
    farewell(peer, GIVEN_UP, "it was given up: " + reason);
    end(peer, 0, reason);
  }

  /** Tells all that this NIC closes, as far as that goes without waiting. */
  void farewell(String reason) {
    known.all().forEach(peer -> farewell(peer, CLOSED, reason));
  }

  private void farewell(FabricPeer peer, byte kind, String reason) {
    if (!peer.hasLeft()) {
      byte[] text = Asks.shortened(reason);
      ByteBuffer content = ByteBuffer.allocate(1 + text.length).put(kind).put(text).flip();
      letters.send(peer, Frame.Type.BYE, content);
    }
  }

  // ---- what comes ----

  @Override
  public void received(Frame frame) {
    FabricPeer peer = known.senderOf(frame);
    if (peer == null) {
      return; // as if it had not come: what it wants, it is not told
    }
    if (frame.type() == Frame.Type.RESET) {
      ByteBuffer reset = frame.content();
      if (reset.remaining() >= Integer.BYTES && reset.getInt() == peer.epoch()) {
        String why = PeerText.of(reset);
        lose(peer, 0, "engine " + peer.engine().toShortString() + " hears nothing more: " + why);
      }
      return;
    }
    long now = clock.getAsLong();
    switch (peer.hearing().hear(frame, now)) {
      case NEXT -> inOrder(peer, frame, now);
      case ANEW -> {
        lose(peer, 0, "engine " + peer.engine().toShortString() + " had given this one up");
        peer.hearing().begin(frame.epoch());
        inOrder(peer, frame, now);
      }
      case EARLY -> lookAfter(peer);
      case OUT_OF_STEP -> outOfStep(peer, frame);
    }
  }

  /** What is missing will not come; but who leaves need not be known to be missed. */
  private void outOfStep(FabricPeer peer, Frame frame) {
    if (frame.type() == Frame.Type.BYE && peer.hearing().isNew()) {
      leaves(peer, frame.content());
    } else {
      reset(peer, frame.epoch(), peer.hearing().missing(frame));
    }
  }

  /** Says that something of this epoch is missing. */
  private void reset(FabricPeer peer, int epoch, String why) {
    if (peer.hasLeft()) {
      return;
    }
    byte[] text = Asks.shortened(why);
    ByteBuffer content = ByteBuffer.allocate(Integer.BYTES + text.length).putInt(epoch).put(text);
    letters.send(peer, Frame.Type.RESET, content.flip());
  }

  private void inOrder(FabricPeer peer, Frame first, long now) {
    for (Frame frame = first; frame != null; frame = peer.hearing().next(now)) {
      sink().alive(peer.engine());
      peer.spoke(now);
      handle(peer, frame);
    }
  }

  private void handle(FabricPeer peer, Frame frame) {
    switch (frame.type()) {
      case CONTROL -> sink().received(peer.engine(), frame.content());
      case ASK -> answer(peer, frame.content());
      case GRANT -> asks.granted(peer, frame.content());
      case DENY -> asks.denied(peer, frame.content());
      case BYE -> leaves(peer, frame.content());
      case RESET -> throw new IllegalStateException("a RESET has no place in the order");
    }
    peer.answered();
  }

  private void leaves(FabricPeer peer, ByteBuffer bye) {
    // The first byte says whether it may come back. To one that will not, nothing is sent:
    // shm would write to where its memory was.
    boolean closed = bye.hasRemaining() && bye.get() == CLOSED;
    String reason = PeerText.of(bye);
    lose(peer, 0, "engine " + peer.engine().toShortString() + ": " + reason);
    if (closed) {
      peer.leave();
    }
  }

  private void answer(FabricPeer peer, ByteBuffer ask) {
    if (peer.outbox().size() >= MAX_ANSWERS) {
      lose(peer, 0, "engine " + peer.engine().toShortString() + " asks, and takes no answers");
    } else {
      say(peer, asks.answerType(ask), asks.answer());
    }
  }

  @Override
  public void undelivered(FabricPeer peer, int code, String text) {
    lose(peer, code, "no message reaches engine " + peer.engine().toShortString() + ": " + text);
  }

  @Override
  public void failed(Route route, Failure failure) {
    FabricPeer peer = route.peer();
    peer.failures().add(failure);
    lookAfter(peer);
    if (route.state() == Route.State.OPEN) {
      ask(route);
    }
  }

  // ---- losses ----

  /** This peer is gone, as far as this NIC can tell. */
  void lose(FabricPeer peer, int code, String text) {
    if (peer.loss() == null) {
      peer.loss(new Failure(0, code, text));
    }
    end(peer, code, text);
  }

  private void end(FabricPeer peer, int code, String text) {
    writes.disconnect(peer, code, text);
    peer.startOver();
    peer.hearing().stop();
    known.gone(peer);
    lookAfter(peer);
  }

  // ---- each turn ----

  /** During a poll, what is found goes there. */
  void report(CompletionSink to) {
    current = to;
  }

  private CompletionSink sink() {
    return Objects.requireNonNull(current, "outside of a poll");
  }

  /** Looks after those that need it; returns how much was reported. */
  int tend() {
    if (needy.isEmpty()) {
      return 0;
    }
    long now = clock.getAsLong();
    long sinceLooked = now - lookedNanos;
    int reported = 0;
    for (int i = needy.size() - 1; i >= 0; i--) {
      FabricPeer peer = needy.get(i);
      if (sinceLooked > STALLED_NANOS) {
        peer.nobodyLookedFor(sinceLooked, now);
      }
      reported += tend(peer, now);
      if (peer.isWell()) {
        peer.needy(false);
        needy.remove(i);
      }
    }
    lookedNanos = now;
    return reported;
  }

  private int tend(FabricPeer peer, long now) {
    flush(peer);
    if (peer.loss() == null) {
      findLoss(peer, now);
      askAgain(peer, now);
    }
    int reported = 0;
    Failure loss = peer.loss();
    if (loss != null && writes.isClosing()) {
      return reported; // what the peer has posted may land still
    }
    if (loss != null) {
      peer.loss(null);
      sink().peerLost(peer.engine(), loss.code(), loss.text());
      reported++;
    }
    if (loss != null || peer.silentFor(now) == 0) {
      reported += reportFailures(peer);
    }
    return reported;
  }

  private void findLoss(FabricPeer peer, long now) {
    if (peer.isRefused() && isUnwanted(peer.triedBefore(now), now)) {
      peer.abandoned();
    }
    long unreachable = peer.unreachableFor(now);
    boolean failing = !peer.failures().isEmpty();
    if (peer.hearing().gap(now) > connectNanos) {
      giveUpGap(peer);
    }
    if (peer.silentFor(now) > connectNanos) {
      lose(peer, 0, notIn(peer, "did not answer", connectNanos));
    } else if (unreachable > connectNanos || (failing && unreachable > UNREACHABLE_NANOS)) {
      lose(peer, 0, notIn(peer, "could not be reached", Math.min(unreachable, connectNanos)));
    }
  }

  /** What is missing will not come any more; and who has left cannot be asked to begin anew. */
  private void giveUpGap(FabricPeer peer) {
    int epoch = peer.hearing().earlyEpoch();
    Frame last = peer.hearing().lastEarly();
    String missing = last == null ? "" : peer.hearing().missing(last);
    peer.hearing().stop();
    if (last != null && last.type() == Frame.Type.BYE) {
      leaves(peer, last.content());
    } else {
      reset(peer, epoch, missing + " for " + connectNanos / 1_000_000 + " ms");
    }
  }

  private static String notIn(FabricPeer peer, String what, long nanos) {
    return "engine "
        + peer.engine().toShortString()
        + " "
        + what
        + " within "
        + nanos / 1_000_000
        + " ms";
  }

  /** Of routes that the provider refuses: their endpoints may be gone. */
  private void askAgain(FabricPeer peer, long now) {
    if (peer.refusing().isEmpty()) {
      return;
    }
    for (Route route : List.copyOf(peer.refusing())) {
      if (!route.isRefused() || route.state() == Route.State.DENIED) {
        peer.refusing().remove(route);
      } else if (isUnwanted(route.triedBefore(now), now)) {
        route.abandoned();
        peer.refusing().remove(route);
      } else if (route.refusedFor(now) > connectNanos) {
        lose(peer, 0, notIn(peer, "takes no connection for writes", connectNanos));
        return;
      } else if (route.state() == Route.State.OPEN && route.askedBefore(now) > REFUSED_NANOS) {
        ask(route);
      }
    }
  }

  /** What is wanted is tried in each turn, and a turn may be long after the one before. */
  private boolean isUnwanted(long before, long now) {
    return before > UNWANTED_NANOS && before > now - lookedNanos;
  }

  private int reportFailures(FabricPeer peer) {
    int reported = 0;
    Failure failure;
    while ((failure = peer.failures().poll()) != null) {
      failure.report(sink());
      reported++;
    }
    return reported;
  }

  /** A write that fails although its peer is well, in the next poll. */
  void failSoon(FabricPeer peer, Failure failure) {
    peer.failures().add(failure);
    lookAfter(peer);
  }
}
