package io.reactivetransfer.moe;

import io.reactivetransfer.MessageChannel;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import reactor.util.Logger;
import reactor.util.Loggers;

/** Sends messages to the other ranks of a group. Only in turns. */
final class Mail {

  static final MessageChannel CHANNEL = new MessageChannel(25);

  private static final Logger LOG = Loggers.getLogger(Mail.class);

  private final Group group;
  private final List<Runnable> whenSent = new ArrayList<>();
  private int unsent;

  Mail(Group group) {
    this.group = group;
  }

  void toAll(MoeMessage message) {
    ByteBuffer bytes = MoeCodec.encode(message);
    for (int rank = 0; rank < group.ranks.count(); rank++) {
      if (rank != group.ranks.own() && !group.hearsNothing(rank)) {
        send(rank, bytes, () -> {});
      }
    }
  }

  /**
   * Sends a message to one rank.
   *
   * @param then when it was sent, or could not be
   */
  void send(int rank, MoeMessage message, Runnable then) {
    send(rank, MoeCodec.encode(message), then);
  }

  private void send(int rank, ByteBuffer bytes, Runnable then) {
    unsent++;
    Listener.ofEnd(
        group.engine.send(group.ranks.peer(rank), CHANNEL, bytes),
        () -> group.turns.run(() -> sent(then)),
        e -> {
          LOG.debug("could not tell {}: {}", group.ranks.name(rank), e.toString());
          group.turns.run(() -> sent(then));
        });
  }

  private void sent(Runnable then) {
    unsent--;
    then.run();
    if (unsent == 0) {
      List<Runnable> waiting = List.copyOf(whenSent);
      whenSent.clear();
      waiting.forEach(Runnable::run);
    }
  }

  /** Does it when nothing waits to be sent any more. */
  void whenSent(Runnable then) {
    if (unsent == 0) {
      then.run();
    } else {
      whenSent.add(then);
    }
  }
}
