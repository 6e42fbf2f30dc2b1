package io.reactivetransfer.weights.internal;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Sends messages to each peer one after the other. What a peer does not take waits here, and not
 * more than a few: messages are repeated while somebody waits for their effect, so that one may be
 * left out. Only in turns.
 */
public final class Postman {

  private static final Logger LOG = Loggers.getLogger(Postman.class);

  private static final int MAX_WAITING = 8;

  private final TransferEngine engine;
  private final MessageChannel channel;
  private final Turns turns;
  private final boolean lastOnly;
  private final Map<EngineId, Queue<Letter>> busy = new HashMap<>();

  private record Letter(ByteBuffer message, Consumer<Throwable> unreachable) {}

  /**
   * For one channel.
   *
   * @param lastOnly whether each message says all that those before it say
   */
  public Postman(TransferEngine engine, MessageChannel channel, Turns turns, boolean lastOnly) {
    this.engine = engine;
    this.channel = channel;
    this.turns = turns;
    this.lastOnly = lastOnly;
  }

  public void send(Peer to, ByteBuffer message) {
    send(to, message, why -> {});
  }

  /**
   * Sends it.
   *
   * @param unreachable is told in a turn why the peer cannot be reached; not for a message that is
   *     left out
   */
  public void send(Peer to, ByteBuffer message, Consumer<Throwable> unreachable) {
    Letter letter = new Letter(message, unreachable);
    Queue<Letter> waiting = busy.get(to.id());
    if (waiting == null) {
      busy.put(to.id(), new ArrayDeque<>());
      sendNow(to, letter);
      return;
    }
    if (lastOnly) {
      waiting.clear();
    }
    if (waiting.size() < MAX_WAITING) {
      waiting.add(letter);
    }
  }

  private void sendNow(Peer to, Letter letter) {
    // What is too long throws at once, and must not keep back what waits behind it.
    Mono.defer(() -> engine.send(to, channel, letter.message))
        .onErrorComplete(failure -> {
          LOG.debug("could not tell {}: {}", to.address(), failure.toString());
          if (failure instanceof PeerUnreachableException) {
            turns.run(() -> letter.unreachable.accept(failure));
          }
          return true;
        })
        .subscribe(nothing -> {}, failure -> {}, () -> turns.run(() -> next(to)));
  }

  private void next(Peer to) {
    Queue<Letter> waiting = busy.get(to.id());
    Letter letter = waiting == null ? null : waiting.poll();
    if (letter == null) {
      busy.remove(to.id());
    } else {
      sendNow(to, letter);
    }
  }
}
