package io.reactivetransfer.engine.base;

import io.reactivetransfer.TransferRejectedException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Bounds how many subscriptions an engine serves at once: that bounds its command queue and
 * everything that waits. From any thread.
 */
public final class Admission {

  private final AtomicInteger inside = new AtomicInteger();
  private final int limit;
  private volatile boolean closed;

  public Admission(int limit) {
    this.limit = limit;
  }

  /** Enters, or says why not. Who has entered leaves once. */
  public @Nullable TransferRejectedException tryEnter() {
    if (closed) {
      return closedError();
    }
    if (inside.incrementAndGet() > limit) {
      inside.decrementAndGet();
      return new TransferRejectedException(
          "expected at most "
              + limit
              + " subscriptions at once (maxSubmissions of the EngineOptions), got one more");
    }
    return null;
  }

  public void leave() {
    inside.decrementAndGet();
  }

  /** A subscription that is served as long as it has not left. */
  public interface Guest extends Scanned {

    /** Goes on after its subscriber got it. */
    void begin();

    /** Something was thrown before it could begin: tells its subscriber, and leaves. */
    void notBegun(Throwable reason);
  }

  /**
   * Lets a subscriber in, unless it is full or closed: makes its subscription, hands it over, and
   * has it begin. Whatever is thrown on the way, by us or by the subscriber, is his error, and he
   * has left.
   */
  public void serve(CoreSubscriber<?> actual, Function<AdmissionTicket, ? extends Guest> maker) {
    RuntimeException refusal = tryEnter();
    if (refusal != null) {
      Operators.error(actual, refusal);
      return;
    }
    AdmissionTicket ticket = new AdmissionTicket(this);
    Guest guest;
    try {
      guest = maker.apply(ticket);
    } catch (Throwable reason) {
      ticket.leave();
      Operators.error(actual, reason);
      return;
    }
    try {
      actual.onSubscribe(guest);
      guest.begin();
    } catch (Throwable reason) {
      guest.notBegun(reason);
    }
  }

  int inside() {
    return inside.get();
  }

  public void close() {
    closed = true;
  }

  public static TransferRejectedException closedError() {
    return new TransferRejectedException("the engine is closed");
  }
}
