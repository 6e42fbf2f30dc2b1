package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;

/**
 * One player: for each arrival that its claim signals, it submits a write to the other side. The
 * one that serves also takes the time. All writes of a player are one stream.
 */
final class PingPong implements Publisher<Transfer>, Disposable {

  private final Transfer write;
  private final @Nullable Tally tally;
  private final Disposable claim;
  private @Nullable Subscriber<? super Transfer> engine;
  private long room;
  private boolean due;
  private boolean over;
  private long hitNanos;

  private PingPong(TransferEngine engine, Transfer write, @Nullable Tally tally) {
    this.write = write;
    this.tally = tally;
    engine.submit(this).subscribe(new Outcome());
    this.claim = engine.counter(Transfers.IMM).every(1).subscribe(_ -> arrived(), this::failed);
  }

  /** Returns what comes, until it is disposed. */
  static PingPong returns(TransferEngine engine, Transfer write) {
    return new PingPong(engine, write, null);
  }

  /** Serves, and goes on until the time is up; the tally says when that was. */
  static void serves(TransferEngine engine, Transfer write, Tally tally) {
    new PingPong(engine, write, tally).hit();
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
    } else {
      hit();
    }
  }

  /** Requests and arrivals may come on different threads. */
  private synchronized void hit() {
    due = true;
    emit();
  }

  private synchronized void grant(long more) {
    room += more;
    emit();
  }

  private void emit() {
    Subscriber<? super Transfer> subscriber = engine;
    if (due && room > 0 && !over && subscriber != null) {
      due = false;
      room--;
      hitNanos = System.nanoTime();
      subscriber.onNext(write);
    }
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

  private void failed(Throwable failure) {
    if (tally != null) {
      tally.ended(failure);
    }
  }

  /** Hits no more. */
  @Override
  public void dispose() {
    claim.dispose();
    synchronized (this) {
      Subscriber<? super Transfer> subscriber = engine;
      if (!over && subscriber != null) {
        over = true;
        subscriber.onComplete();
      }
    }
  }

  private final class Outcome extends BaseSubscriber<Transfer> {

    @Override
    protected void hookOnError(Throwable failure) {
      failed(failure);
    }

    @Override
    protected void hookOnComplete() {
      if (tally != null) {
        tally.ended(null);
      }
    }
  }
}
