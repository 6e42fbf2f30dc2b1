package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/**
 * Writes to each of many engines, waits until all of that is done, and begins anew, until the time
 * is up. All writes are one stream, whose window holds a whole round.
 */
final class FanOut implements Publisher<Transfer> {

  private final List<Transfer> writes;
  private final Tally tally;
  private @Nullable Subscriber<? super Transfer> engine;
  private long room;
  private int submitted;
  private int done;
  private long startNanos;
  private boolean over;

  private FanOut(List<Transfer> writes, Tally tally) {
    this.writes = writes;
    this.tally = tally;
  }

  /** Begins; the tally says when it has ended. */
  static void start(TransferEngine engine, List<Transfer> writes, Tally tally) {
    FanOut run = new FanOut(writes, tally);
    run.startNanos = System.nanoTime();
    engine.submit(run).subscribe(run.new Recorder());
  }

  @Override
  public void subscribe(Subscriber<? super Transfer> subscriber) {
    engine = subscriber;
    subscriber.onSubscribe(
        new Subscription() {
          @Override
          public void request(long n) {
            grant(n);
          }

          @Override
          public void cancel() {
            over = true;
          }
        });
  }

  /** Requests and completions may come on different threads. */
  private synchronized void grant(long more) {
    room += more;
    submit();
  }

  private void submit() {
    Subscriber<? super Transfer> subscriber = engine;
    while (!over && submitted < writes.size() && room > 0 && subscriber != null) {
      room--;
      subscriber.onNext(writes.get(submitted++));
    }
  }

  private synchronized void oneDone() {
    if (++done < writes.size()) {
      return;
    }
    long now = System.nanoTime();
    tally.done(now - startNanos);
    Subscriber<? super Transfer> subscriber = engine;
    if (!tally.isTimeUp(now)) {
      done = 0;
      submitted = 0;
      startNanos = now;
      submit();
    } else if (!over && subscriber != null) {
      over = true;
      subscriber.onComplete();
    }
  }

  private final class Recorder extends BaseSubscriber<Transfer> {

    @Override
    protected void hookOnNext(Transfer transfer) {
      oneDone();
    }

    @Override
    protected void hookOnError(Throwable failure) {
      tally.ended(failure);
    }

    @Override
    protected void hookOnComplete() {
      tally.ended(null);
    }
  }
}
