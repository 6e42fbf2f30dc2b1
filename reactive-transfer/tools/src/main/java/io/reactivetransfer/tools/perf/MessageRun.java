package io.reactivetransfer.tools.perf;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * Sends prepared messages until the time is up. Each of them is a publisher that is subscribed to
 * again when it has completed, by the same subscriber.
 */
final class MessageRun {

  private final Tally tally;
  private final AtomicInteger open;

  private MessageRun(Tally tally, int lanes) {
    this.tally = tally;
    this.open = new AtomicInteger(lanes);
  }

  /** Begins; returns what counts how often each message was sent. */
  static List<Lane> start(List<Mono<Void>> messages, Tally tally) {
    MessageRun run = new MessageRun(tally, messages.size());
    List<Lane> lanes = messages.stream().map(message -> run.new Lane(message)).toList();
    lanes.forEach(Lane::send);
    return lanes;
  }

  /** Lanes may signal on different threads. */
  private synchronized void done(long latencyNanos) {
    tally.done(latencyNanos);
  }

  private void laneEnded() {
    if (open.decrementAndGet() == 0) {
      tally.ended(null);
    }
  }

  /** One message in flight at a time. */
  final class Lane implements CoreSubscriber<Void> {
    private final Mono<Void> message;
    private long submittedNanos;
    private long sent;

    Lane(Mono<Void> message) {
      this.message = message;
    }

    /** How often it was sent; ask when the run has ended. */
    long sent() {
      return sent;
    }

    private void send() {
      submittedNanos = System.nanoTime();
      message.subscribe(this);
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Void nothing) {}

    @Override
    public void onError(Throwable failure) {
      tally.ended(failure);
    }

    @Override
    public void onComplete() {
      long now = System.nanoTime();
      sent++;
      done(now - submittedNanos);
      if (tally.isTimeUp(now)) {
        laneEnded();
      } else {
        send();
      }
    }
  }
}
