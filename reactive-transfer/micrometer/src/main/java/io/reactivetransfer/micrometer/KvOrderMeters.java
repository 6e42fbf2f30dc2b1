package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.reactivetransfer.kvcache.KvRecorder.OrderEnd;
import io.reactivetransfer.kvcache.KvRecorder.OrderRecorder;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Orders of one model on one node, each of which it is told of. Counts on any thread; registered by
 * another one.
 */
final class KvOrderMeters implements OrderRecorder {

  private final Meters meters;
  private final EarlyTimers<KvOutcome> timers;
  private final LongAdder begun = new LongAdder();
  private final LongAdder ended = new LongAdder();
  private final LongAdder endedEarly = new LongAdder();
  private final LongAdder back = new LongAdder();
  private final LongAdder firsts = new LongAdder();
  private final LongAdder firstNanos = new LongAdder();
  private final LongAdder pages = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private boolean registered;

  /**
   * Nothing is registered yet.
   *
   * @param meters of this model, and of these orders only
   */
  KvOrderMeters(Meters meters) {
    this.meters = meters;
    this.timers = new EarlyTimers<>(meters, KvOutcome.class);
  }

  void begun() {
    begun.increment();
  }

  @Override
  public void ended(OrderEnd end) {
    KvOutcome outcome = KvOutcome.of(end);
    ended.increment();
    if (outcome == KvOutcome.DONE) {
      pages.add(end.pages());
      bytes.add(end.bytes());
    } else {
      endedEarly.increment();
    }
    Duration untilFirst = end.untilFirst();
    if (untilFirst != null) {
      firsts.increment();
      firstNanos.add(untilFirst.toNanos());
    }
    timers.record(outcome, end.duration());
  }

  @Override
  public void pagesBack() {
    back.increment();
  }

  void register(boolean histogram) {
    if (registered) {
      return;
    }
    registered = true;
    gauge("active", "orders that were begun and have not ended", begun, ended);
    gauge(
        "held",
        "orders that ended early, and whose pages wait until nothing can write to them",
        endedEarly,
        back);
    meters.timer(
        "kv.orders.first",
        "orders that were done, from the subscription to the first arrival",
        this,
        self -> self.firsts.sum(),
        self -> self.firstNanos.sum());
    count("kv.pages.received", null, "pages of orders that were done", pages);
    count("kv.received", Meters.BYTES, "bytes of orders that were done", bytes);
    timers.register(KvOutcome.OF_ORDERS, outcome -> timer(outcome, histogram));
  }

  private void gauge(String name, String description, LongAdder came, LongAdder went) {
    meters.gauge(
        "kv.orders." + name, Tags.empty(), description, this, _ -> Meters.between(went, came));
  }

  private void count(String name, @Nullable String unit, String description, LongAdder count) {
    meters.counter(name, Tags.empty(), unit, description, count, LongAdder::sum);
  }

  private @Nullable Timer timer(KvOutcome outcome, boolean histogram) {
    return meters.timer(
        KvMeters.timer(
            "kv.orders",
            "orders of a KV cache, from the subscription to the last arrival, or to the early end",
            histogram),
        Tags.of("outcome", outcome.tag));
  }

  void remove() {
    meters.remove();
  }
}
