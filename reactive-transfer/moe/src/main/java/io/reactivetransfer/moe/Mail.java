package io.reactivetransfer.moe;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.util.Logger;
import reactor.util.Loggers;

/** Sends messages to the other ranks of a group, and answers strangers. Only in turns. */
final class Mail {

  static final MessageChannel CHANNEL = new MessageChannel(25);

  /**
   * How long the last messages of a group may wait for a receiver that lives and reads nothing,
   * before memory is given back without them.
   */
  static final Duration PATIENCE = Duration.ofSeconds(2);

  /** To so many it says at once why they cannot join. */
  private static final int MAX_REFUSED = 64;

  private static final Logger LOG = Loggers.getLogger(Mail.class);

  private final Group group;
  private final Set<Disposable> unsent = new HashSet<>();
  private final List<Runnable> whenSent = new ArrayList<>();

  /** What ends the wait of these. */
  private final Disposable.Swap patience = Disposables.swap();

  private final Set<EngineId> refused = new HashSet<>();

  Mail(Group group) {
    this.group = group;
  }

  void toAll(MoeMessage message) {
    ByteBuffer bytes = MoeCodec.encode(message);
    for (int rank = 0; rank < group.ranks.count(); rank++) {
      if (rank != group.ranks.own() && !group.departures.hearsNothing(rank)) {
        send(group.ranks.peer(rank), bytes, () -> {});
      }
    }
  }

  /** Tells all ranks that the group is over, and why. */
  void giveUp(int blamed, String why) {
    for (int rank = 0; rank < group.ranks.count(); rank++) {
      if (rank != group.ranks.own() && !group.departures.hearsNothing(rank)) {
        giveUp(rank, blamed, why);
      }
    }
  }

  /** The same to one rank. */
  void giveUp(int rank, int blamed, String why) {
    int to = group.ranks.firstImm(rank);
    send(rank, new MoeMessage.GiveUp(group.id, blamed, to, why), () -> {});
  }

  /**
   * Tells whoever wants to join what is no group of this rank why it cannot be, once at a time: one
   * may live and read nothing. Who is not told now asks again.
   */
  void refuse(Peer sender, MoeMessage.Join join, String why) {
    EngineId id = sender.id();
    if (refused.size() >= MAX_REFUSED || !refused.add(id)) {
      return;
    }
    MoeMessage refusal = new MoeMessage.GiveUp(join.group(), join.rank(), join.imm(), why);
    Disposable sending = send(sender, MoeCodec.encode(refusal), () -> refused.remove(id));
    group.after(
        PATIENCE,
        () -> {
          if (unsent.contains(sending)) {
            withdraw(sending);
            refused.remove(id);
          }
        });
  }

  /**
   * Sends a message to one rank.
   *
   * @param then when it was sent, or could not be
   */
  void send(int rank, MoeMessage message, Runnable then) {
    send(group.ranks.peer(rank), MoeCodec.encode(message), then);
  }

  private Disposable send(Peer peer, ByteBuffer bytes, Runnable then) {
    Disposable.Swap here = Disposables.swap();
    unsent.add(here);
    here.update(
        Listener.ofEnd(
            // A message that the engine's own limit refuses is one that could not be sent.
            Mono.defer(() -> group.engine.send(peer, CHANNEL, bytes)),
            () -> group.turns.run(() -> sent(here, then)),
            e -> {
              LOG.debug("could not tell {}: {}", peer.address(), e.toString());
              group.turns.run(() -> sent(here, then));
            }));
    return here;
  }

  private void sent(Disposable sending, Runnable then) {
    if (unsent.remove(sending)) {
      then.run();
      goOnIfAllAreSent();
    }
  }

  private void withdraw(Disposable sending) {
    unsent.remove(sending);
    sending.dispose();
    goOnIfAllAreSent();
  }

  private void goOnIfAllAreSent() {
    if (unsent.isEmpty()) {
      List<Runnable> waiting = List.copyOf(whenSent);
      whenSent.clear();
      patience.update(Disposables.disposed());
      waiting.forEach(Runnable::run);
    }
  }

  /**
   * After the last message: does it when nothing waits to be sent any more. What nobody takes over
   * for too long is withdrawn.
   */
  void whenSent(Runnable then) {
    if (unsent.isEmpty()) {
      then.run();
      return;
    }
    if (whenSent.isEmpty()) {
      patience.update(group.after(PATIENCE, () -> List.copyOf(unsent).forEach(this::withdraw)));
    }
    whenSent.add(then);
  }
}
