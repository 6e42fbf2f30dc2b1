package io.reactivetransfer.engine.base;

import org.reactivestreams.Subscriber;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The last signals to subscribers, who may throw, though they must not, and on the NIC's own thread
 * if signals come there. What they throw is said, and ends nothing but themselves.
 */
public final class Signals {

  private static final Logger LOG = Loggers.getLogger(Signals.class);

  private Signals() {}

  public static void complete(Subscriber<?> actual) {
    try {
      actual.onComplete();
    } catch (Throwable failure) {
      thrown(failure);
    }
  }

  public static void error(Subscriber<?> actual, Throwable reason) {
    try {
      actual.onError(reason);
    } catch (Throwable failure) {
      thrown(failure);
    }
  }

  /** Someone else's code has thrown something that nobody is left to be told of. */
  public static void thrown(Throwable failure) {
    said(() -> LOG.error("a subscriber or an upstream has thrown, which it must not", failure));
  }

  /**
   * A subscriber has thrown in {@code onNext}, which ends its stream. It may not hear of that:
   * Reactor's wrapper of one that is no {@code CoreSubscriber} passes no signal on after it.
   */
  public static void thrownInNext(Throwable failure) {
    said(() ->
        LOG.warn(
            "a subscriber has thrown in onNext, which it must not: its stream is over", failure));
  }

  /** Says something if that is possible; what is to be done besides is more important. */
  public static void said(Runnable saying) {
    try {
      saying.run();
    } catch (Throwable unsaid) {
      // as when there is no memory left
    }
  }

  /** What somebody else's exception says, whose methods may throw themselves. */
  public static String textOf(Throwable failure) {
    try {
      return String.valueOf(failure.getMessage());
    } catch (Throwable unsaid) {
      return "a " + failure.getClass().getName() + " whose getMessage() throws";
    }
  }
}
