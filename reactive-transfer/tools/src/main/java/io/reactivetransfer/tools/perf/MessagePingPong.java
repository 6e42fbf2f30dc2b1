package io.reactivetransfer.tools.perf;

import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * One player: for each message that comes, it sends one to the other side. The one that serves also
 * takes the time. On a channel of its own, so that whoever counts messages sees none of these.
 */
final class MessagePingPong implements Disposable {

  private static final MessageChannel CHANNEL = new MessageChannel(1);

  private final Mono<Void> message;
  private final @Nullable Tally tally;
  private final Disposable reading;

  /** One message is on its way at a time, so this is written before what reads it. */
  private volatile long hitNanos;

  private MessagePingPong(
      TransferEngine engine, Peer peer, ByteBuffer bytes, @Nullable Tally tally) {
    this.message = engine.send(peer, CHANNEL, bytes);
    this.tally = tally;
    this.reading = engine.messages(CHANNEL).subscribe(_ -> arrived(), this::failed);
  }

  /** Returns what comes, until it is disposed. */
  static MessagePingPong returns(TransferEngine engine, Peer peer, ByteBuffer bytes) {
    return new MessagePingPong(engine, peer, bytes, null);
  }

  /** Serves, and goes on until the time is up; the tally says when that was. */
  static void serves(TransferEngine engine, Peer peer, ByteBuffer bytes, Tally tally) {
    new MessagePingPong(engine, peer, bytes, tally).hit();
  }

  private void hit() {
    hitNanos = System.nanoTime();
    message.subscribe(null, this::failed);
  }

  private void arrived() {
    if (tally == null) {
      hit();
      return;
    }
    long now = System.nanoTime();
    tally.done(now - hitNanos);
    if (tally.isTimeUp(now)) {
      dispose();
      tally.ended(null);
    } else {
      hit();
    }
  }

  private void failed(Throwable failure) {
    if (tally != null) {
      tally.ended(failure);
    }
  }

  /** Hits no more. */
  @Override
  public void dispose() {
    reading.dispose();
  }
}
