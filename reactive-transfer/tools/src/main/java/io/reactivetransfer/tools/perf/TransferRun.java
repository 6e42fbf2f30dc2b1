package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import java.util.IdentityHashMap;
import java.util.List;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/**
 * Submits prepared transfers as one stream until the time is up; for a transfer that is done it
 * submits the next one. There are at least as many prepared ones as the window allows in flight, so
 * the engine asks for one that was used only after another has been emitted: what {@link #done} has
 * written to the ring, {@link Feed#request} can read. Nothing is allocated for an operation.
 */
final class TransferRun implements Publisher<Transfer> {

  private static final class Slot {
    final Transfer transfer;
    long submittedNanos;

    Slot(Transfer transfer) {
      this.transfer = transfer;
    }
  }

  private final Tally tally;
  private final IdentityHashMap<Transfer, Slot> slots = new IdentityHashMap<>();
  private final Slot[] free;
  private long freed;

  private TransferRun(List<Transfer> transfers, Tally tally) {
    this.tally = tally;
    free = transfers.stream().map(Slot::new).toArray(Slot[]::new);
    for (Slot slot : free) {
      slots.put(slot.transfer, slot);
    }
    freed = free.length;
  }

  /** Begins; the tally says when it has ended. */
  static void start(TransferEngine engine, List<Transfer> transfers, Tally tally) {
    TransferRun run = new TransferRun(transfers, tally);
    engine.submit(run).subscribe(run.new Recorder());
  }

  @Override
  public void subscribe(Subscriber<? super Transfer> subscriber) {
    subscriber.onSubscribe(new Feed(subscriber));
  }

  private void done(Transfer transfer) {
    Slot slot = slots.get(transfer);
    if (slot == null) {
      throw new IllegalStateException("a transfer came out that was never submitted: " + transfer);
    }
    tally.done(System.nanoTime() - slot.submittedNanos);
    free[(int) (freed++ % free.length)] = slot;
  }

  /** Upstream of the engine. */
  private final class Feed implements Subscription {
    private final Subscriber<? super Transfer> subscriber;
    private long submitted;
    private boolean over;

    Feed(Subscriber<? super Transfer> subscriber) {
      this.subscriber = subscriber;
    }

    @Override
    public void request(long n) {
      for (long left = n; left > 0 && !over; left--) {
        long now = System.nanoTime();
        if (submitted > 0 && tally.isTimeUp(now)) {
          over = true;
          subscriber.onComplete();
        } else {
          Slot slot = free[(int) (submitted++ % free.length)];
          slot.submittedNanos = now;
          subscriber.onNext(slot.transfer);
        }
      }
    }

    @Override
    public void cancel() {
      over = true;
    }
  }

  /** Downstream of the engine. */
  private final class Recorder extends BaseSubscriber<Transfer> {

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      requestUnbounded();
    }

    @Override
    protected void hookOnNext(Transfer transfer) {
      done(transfer);
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
