package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.reactivetransfer.kvcache.KvRecorder.QueueEnd;
import io.reactivetransfer.kvcache.KvRecorder.RequestEnd;
import io.reactivetransfer.kvcache.KvRecorder.RequestRecorder;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Requests for one model to one node, each of which it is told of. Counts on any thread; registered
 * by another one.
 */
final class KvRequestMeters implements RequestRecorder {

  private final Meters meters;
  private final EarlyTimers<KvOutcome> timers;
  private final EarlyTimers<KvOutcome> exposed;
  private final LongAdder queued = new LongAdder();
  private final LongAdder dequeued = new LongAdder();
  private final LongAdder taken = new LongAdder();
  private final LongAdder waitedNanos = new LongAdder();
  private final LongAdder ended = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private boolean registered;

  /**
   * Nothing is registered yet.
   *
   * @param meters of this model, and of these requests only
   */
  KvRequestMeters(Meters meters) {
    this.meters = meters;
    this.timers = new EarlyTimers<>(meters, KvOutcome.class);
    this.exposed = new EarlyTimers<>(meters, KvOutcome.class);
  }

  void queued() {
    queued.increment();
  }

  @Override
  public void dequeued(QueueEnd end) {
    dequeued.increment();
    if (end.isTaken()) {
      taken.increment();
      waitedNanos.add(end.waited().toNanos());
    }
  }

  @Override
  public void ended(RequestEnd end) {
    ended.increment();
    bytes.add(end.bytes());
    Duration behind = end.exposed();
    if (behind != null) {
      exposed.record(KvOutcome.DONE, behind);
    }
    timers.record(KvOutcome.of(end), end.duration());
  }

  void register(boolean histogram) {
    if (registered) {
      return;
    }
    registered = true;
    gauge("waiting", "requests that wait until they are taken", dequeued);
    gauge("active", "requests that were read and have not ended, those that wait included", ended);
    meters.timer(
        "kv.requests.queue",
        "requests that were taken, and for how long they have waited",
        this,
        self -> self.taken.sum(),
        self -> self.waitedNanos.sum());
    meters.counter(
        "kv.written",
        Tags.empty(),
        Meters.BYTES,
        "bytes that were written for requests that have ended, early or not",
        bytes,
        LongAdder::sum);
    exposed.register(Set.of(KvOutcome.DONE), _ -> exposed(histogram));
    timers.register(KvOutcome.OF_REQUESTS, outcome -> timer(outcome, histogram));
  }

  private void gauge(String name, String description, LongAdder went) {
    meters.gauge(
        "kv.requests." + name,
        Tags.empty(),
        description,
        this,
        self -> Meters.between(went, self.queued));
  }

  private @Nullable Timer exposed(boolean histogram) {
    return meters.timer(
        KvMeters.timer(
            "kv.requests.exposed",
            "what computing did not hide of a hand-over that was done: from when all layers were"
                + " finished until all was written",
            histogram),
        Tags.empty());
  }

  private @Nullable Timer timer(KvOutcome outcome, boolean histogram) {
    return meters.timer(
        KvMeters.timer("kv.requests", "requests, from when they were read to their end", histogram),
        Tags.of("outcome", outcome.tag));
  }

  void remove() {
    meters.remove();
  }
}
