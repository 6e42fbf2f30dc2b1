package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import java.util.concurrent.atomic.LongAdder;

/** The KV caches of one node and their meters. */
final class ShownKvCache extends Shown {

  private final boolean histogram;
  private final Named<KvOrderMeters> orders;
  private final Named<KvRequestMeters> requests;
  private final LongAdder rejected = new LongAdder();
  private boolean registered;

  ShownKvCache(Meters meters, int maxModels, boolean histogram) {
    super(meters);
    this.histogram = histogram;
    this.orders = new Named<>(maxModels, model -> new KvOrderMeters(meters.and("model", model)));
    this.requests =
        new Named<>(maxModels, model -> new KvRequestMeters(meters.and("model", model)));
  }

  KvOrderMeters orders(String model) {
    return orders.of(model);
  }

  KvRequestMeters requests(String model) {
    return requests.of(model);
  }

  void rejected() {
    rejected.increment();
  }

  @Override
  void register() {
    if (!registered) {
      registered = true;
      meters.counter(
          "kv.requests.rejected",
          Tags.empty(),
          null,
          "requests that were refused when they were read: for a model that is not there, that do"
              + " not fit, or for which there is no room",
          rejected,
          LongAdder::sum);
    }
    orders.all().forEach(each -> each.register(histogram));
    requests.all().forEach(each -> each.register(histogram));
  }

  @Override
  void remove() {
    orders.all().forEach(KvOrderMeters::remove);
    requests.all().forEach(KvRequestMeters::remove);
    super.remove();
  }
}
