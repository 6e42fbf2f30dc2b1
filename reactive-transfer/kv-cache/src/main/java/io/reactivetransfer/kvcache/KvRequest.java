package io.reactivetransfer.kvcache;

import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * What a decode node asks this prefill node for. Answer each one: by {@link KvPrefill#handOver}, or
 * by {@link KvPrefill#refuse}, of the object that emitted it. Safe from any thread.
 */
public final class KvRequest {

  private final KvPrefill owner;
  private final Peer decode;
  private final OldMessage.Request message;
  private final long receivedNanos = now();

  /** Guarded by this, like the next one. */
  private @Nullable HandOver handOver;

  private boolean over;

  KvRequest(KvPrefill owner, Peer decode, OldMessage.Request message) {
    this.owner = owner;
    this.decode = decode;
    this.message = message;
  }

  /** Who asks. */
  public Peer decode() {
    return decode;
  }

  /** The decode side's number of the request; unique for its engine. */
  public long id() {
    return message.id();
  }

  /** How many pages of each layer it wants. */
  public int pages() {
    return message.pages().size();
  }

  /** How long the tail may be. */
  public long tailBytes() {
    return message.tail().length();
  }

  /** The application's own bytes, such as the prompt. They may be anything. */
  public ByteBuffer body() {
    return message.body();
  }

  /** How much is left of the time that decode gave; 0 or less when it is over. */
  public Duration remaining() {
    return message.deadline().minusNanos(now() - receivedNanos);
  }

  /** Only who emitted it knows that it is open, and can write to the one who asks. */
  void requireOf(KvPrefill prefill) {
    if (owner != prefill) {
      throw new IllegalArgumentException(
          "expected a request of this KvPrefill (engine "
              + prefill.engine.address()
              + "), got "
              + this
              + " to another one (engine "
              + owner.engine.address()
              + "); answer it with the KvPrefill whose requests() emitted it");
    }
  }

  OldMessage.Request message() {
    return message;
  }

  /** Whether this is the first answer. */
  synchronized boolean take(HandOver taker) {
    if (over || handOver != null) {
      return false;
    }
    handOver = taker;
    return true;
  }

  /** The hand-over that runs; null if there was none, and then there will be none. */
  synchronized @Nullable HandOver endUnlessTaken() {
    if (handOver == null) {
      over = true;
    }
    return handOver;
  }

  synchronized boolean isTaken() {
    return handOver != null;
  }

  synchronized boolean isOpen() {
    return !over && handOver == null;
  }

  /** Who asks, and for how many pages. */
  @Override
  public String toString() {
    return "request " + id() + " of " + decode.address() + " for " + pages() + " pages";
  }

  private static long now() {
    return Schedulers.parallel().now(TimeUnit.NANOSECONDS);
  }
}
