package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.WriteImm;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Emits prepared transfers round and round, as many as are wanted, as cheaply as a source can. */
final class PreparedWrites implements Publisher<WriteImm> {

  private final WriteImm[] prepared;
  private final long count;

  /**
   * Made by a benchmark.
   *
   * @param prepared a power of two of them
   * @param count how many to emit
   */
  PreparedWrites(WriteImm[] prepared, long count) {
    this.prepared = prepared;
    this.count = count;
  }

  @Override
  public void subscribe(Subscriber<? super WriteImm> subscriber) {
    subscriber.onSubscribe(
        new Subscription() {
          private long next;

          @Override
          public void request(long n) {
            long end = Math.min(count, n > count - next ? count : next + n);
            while (next < end) {
              subscriber.onNext(prepared[(int) next++ & prepared.length - 1]);
            }
            if (next == count) {
              next++;
              subscriber.onComplete();
            }
          }

          @Override
          public void cancel() {
            next = count + 1;
          }
        });
  }
}
