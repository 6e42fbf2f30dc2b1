package io.reactivetransfer.libfabric;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.FabricPeer.Doubt;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The NICs of other engines that this one has to do with: asks them where to write, answers what
 * they ask, and finds out to which the way is lost. A provider does not say that: it refuses writes
 * for ever, as it does while a connection is made, and of a write that failed it does not say
 * whether its memory was revoked. So a write that failed, or that is refused for long, makes this
 * NIC ask again; and who does not answer, or takes no write, within the time to connect is lost.
 */
final class Peers implements Writes.Handler {

  /** After that time of refusals, a route is asked for again: its endpoint may be gone. */
  private static final long REFUSED_NANOS = 50_000_000;

  /**
   * After that time a route that was denied is asked for again: its owner may have lacked means.
   */
  static final long DENIED_NANOS = 1_000_000_000;

  /** In advance no more is asked of a peer: each answer may open an endpoint there and here. */
  static final int MOST_ASKED = 16;

  private final Writes writes;
  private final Asks asks;
  private final long connectNanos;
  private final LongSupplier clock;
  private final Set<FabricPeer> all = new LinkedHashSet<>();

  /** Those of which something is waited for, or to be reported. */
  private final Set<FabricPeer> unsettled = new LinkedHashSet<>();

  private final Queue<Said> outbox = new ArrayDeque<>();
  private long lastAsk;

  /** Whether the next poll has something to report. */
  private boolean due;

  /** What is to be told to a NIC. */
  private record Said(FabricPeer to, ByteBuffer message) {}

  Peers(Writes writes, Asks asks, long connectNanos, LongSupplier clock) {
    this.writes = writes;
    this.asks = asks;
    this.connectNanos = connectNanos;
    this.clock = clock;
  }

  FabricPeer resolve(EngineId engine) {
    FabricPeer peer = new FabricPeer(engine);
    all.add(peer);
    return peer;
  }

  /** Those that were resolved and not released. */
  Set<FabricPeer> all() {
    return all;
  }

  /** Forgets a peer to which nothing is out. */
  void release(FabricPeer peer) {
    writes.release(peer);
    outbox.removeIf(said -> said.to() == peer);
    peer.startOver(lastAsk);
    unsettled.remove(peer);
    all.remove(peer);
  }

  /** Whether something is waited for. */
  boolean areUnsettled() {
    return !unsettled.isEmpty();
  }

  /** Whether the next poll has something to say or to report. */
  boolean isDue() {
    return due || !outbox.isEmpty();
  }

  // ---- what this side wants ----

  /** Asks where a route leads. */
  void ask(Route route) {
    FabricPeer peer = route.peer();
    long number = ++lastAsk;
    route.asked(number, clock.getAsLong());
    peer.asked(number, route);
    outbox.add(new Said(peer, Asks.ask(number, route.token())));
    unsettled.add(peer);
  }

  /**
   * Something is to be written on a route that is not open. Asks where it leads, if nobody has, and
   * where some of the others do that were resolved since: what waits for them waits behind it.
   */
  void askWith(Route route) {
    route.inAdvance(false);
    if (route.state() == Route.State.NEW) {
      ask(route);
    }
    FabricPeer peer = route.peer();
    while (peer.asked() < MOST_ASKED) {
      Route next = peer.nextResolved();
      if (next == null) {
        return;
      }
      if (next.state() == Route.State.NEW) {
        next.inAdvance(true);
        ask(next);
      }
    }
  }

  /** Something is to be written where its owner has denied it; whether it is asked again. */
  boolean asksAgain(Route route) {
    boolean isDue = clock.getAsLong() - route.deniedNanos() > DENIED_NANOS;
    if (isDue) {
      ask(route);
    }
    return isDue;
  }

  /** A provider refuses to write, or the way has ended; what is out on the route may be why. */
  void refused(Route route) {
    long now = clock.getAsLong();
    if (!route.isIdle()) {
      return;
    }
    long refusedFor = route.refusedFor(now);
    if (refusedFor > connectNanos) {
      lose(route.peer(), 0, notIn(route.peer(), "takes no connection for writes"));
    } else if (refusedFor > 0 && now - route.askedNanos() > REFUSED_NANOS) {
      ask(route);
    }
  }

  /** A way has ended without this side's doing, while nothing was out on it, or has by now. */
  void ended(Route route) {
    boolean isNews = route.refusedFor(clock.getAsLong()) == 0;
    refused(route);
    if (isNews && route.state() == Route.State.OPEN) {
      ask(route);
    }
  }

  /** The session with a peer is over. */
  void disconnect(FabricPeer peer, String reason) {
    end(peer, 0, reason);
  }

  // ---- what comes ----

  /** What is not understood is dropped. */
  void heard(FabricPeer from, ByteBuffer message) {
    if (message.remaining() < Asks.HEAD_BYTES) {
      return;
    }
    byte kind = message.get();
    long number = message.getLong();
    if (kind == Asks.ASK) {
      outbox.add(new Said(from, asks.answer(from, number, message)));
    } else if (kind == Asks.DENY || (kind == Asks.GRANT && Asks.isGrant(message))) {
      Route route = from.answered(number, clock.getAsLong());
      due = true;
      Failure doubt = from.doubtOf(number);
      if (route != null && kind == Asks.GRANT && doubt != null) {
        // The memory is there, so it is the way that has failed, on which something may come still.
        lose(from, doubt.code(), doubt.text());
      } else if (route != null && kind == Asks.GRANT) {
        Asks.granted(route, message);
        writes.makeWay(route);
      } else if (route != null && route.isInAdvance()) {
        route.forget(); // there may be room for it when it is written to
      } else if (route != null) {
        route.deny(PeerText.of(message), clock.getAsLong());
      }
    }
  }

  @Override
  public void failed(Route route, Failure failure) {
    if (route.state() == Route.State.OPEN) {
      ask(route);
    }
    route.peer().doubt(new Doubt(failure, route.openAsk()));
    settleSoon(route.peer());
  }

  @Override
  public void ended(Route route, Failure failure, CompletionSink sink) {
    if (route.peer().loss() == null) {
      failure.report(sink);
    } else {
      failSoon(route.peer(), failure);
    }
  }

  /** A write fails although its peer is well, or behind its loss, in the next poll. */
  void failSoon(FabricPeer peer, Failure failure) {
    peer.doubt(new Doubt(failure, 0));
    settleSoon(peer);
  }

  private void settleSoon(FabricPeer peer) {
    unsettled.add(peer);
    due = true;
  }

  // ---- losses ----

  /** The way to a peer is lost. */
  void lose(FabricPeer peer, int code, String text) {
    if (peer.loss() == null) {
      peer.loss(new Failure(0, code, text));
    }
    end(peer, code, text);
  }

  private void end(FabricPeer peer, int code, String text) {
    writes.disconnect(peer, code, text);
    outbox.removeIf(said -> said.to() == peer);
    peer.startOver(lastAsk);
    settleSoon(peer);
  }

  private String notIn(FabricPeer peer, String what) {
    return "engine "
        + peer.engine().toShortString()
        + " "
        + what
        + " within "
        + connectNanos / 1_000_000
        + " ms";
  }

  // ---- each turn ----

  /** Reports what is known by now; returns how much. */
  int settle(CompletionSink sink) {
    due = false;
    int reported = 0;
    if (!unsettled.isEmpty()) {
      for (FabricPeer peer : List.copyOf(unsettled)) {
        reported += settle(peer, sink);
        if (peer.isSettled()) {
          unsettled.remove(peer);
        }
      }
    }
    return reported;
  }

  private int settle(FabricPeer peer, CompletionSink sink) {
    if (peer.silentFor(clock.getAsLong()) > connectNanos) {
      lose(peer, 0, notIn(peer, "did not say where to write"));
    }
    int reported = 0;
    Failure loss = peer.loss();
    if (loss != null) {
      if (writes.isClosing()) {
        return 0; // what the peer has posted may land still
      }
      peer.loss(null);
      sink.peerLost(peer.engine(), loss.code(), loss.text());
      reported++;
    }
    for (Failure next = peer.nextFailure(); next != null; next = peer.nextFailure()) {
      next.report(sink);
      reported++;
    }
    return reported;
  }

  /** Has the control channel tell peers what is to be told; returns how much. */
  int speak(CompletionSink sink) {
    int told = 0;
    for (Said next = outbox.poll(); next != null; next = outbox.poll()) {
      sink.toPeer(next.to(), next.message());
      told++;
    }
    return told;
  }
}
