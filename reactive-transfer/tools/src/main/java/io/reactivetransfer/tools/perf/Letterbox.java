package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Message;
import io.reactivetransfer.TransferEngine;
import java.time.Duration;
import reactor.core.Disposable;

/** Takes the messages as they come, and counts them. */
final class Letterbox implements AutoCloseable {

  private final boolean verify;
  private final Disposable subscription;
  private long count;
  private long checksums;

  Letterbox(TransferEngine engine, boolean verify) {
    this.verify = verify;
    this.subscription = engine.messages().subscribe(this::take, failure -> {});
  }

  private void take(Message message) {
    long checksum = verify ? Content.checksum(message.bytes()) : 0;
    synchronized (this) {
      count++;
      checksums += checksum;
      notifyAll();
    }
  }

  /** Waits until so many have come, and forgets them; their checksums must have this sum. */
  synchronized void await(long messages, long sum, Duration patience) throws InterruptedException {
    long endNanos = System.nanoTime() + patience.toNanos();
    while (count < messages) {
      long left = (endNanos - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new IllegalStateException(
            "expected " + messages + " messages, got " + count + " of them");
      }
      wait(left);
    }
    if (count > messages) {
      throw new IllegalStateException("expected " + messages + " messages, got " + count);
    }
    if (verify && checksums != sum) {
      throw new IllegalStateException(
          "not verified: the " + messages + " messages that arrived are not those that were sent");
    }
    count = 0;
    checksums = 0;
  }

  @Override
  public void close() {
    subscription.dispose();
  }
}
