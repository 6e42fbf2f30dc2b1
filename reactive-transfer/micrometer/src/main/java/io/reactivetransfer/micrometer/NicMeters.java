package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.Nic;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** One NIC of an engine, from when the engine opened it; its failing changes that figure only. */
final class NicMeters {

  private final TransferEngine engine;
  private final Nic nic;
  private final Tags tags;
  private final LongAdder lostWays = new LongAdder();
  private final LongAdder failedLocally = new LongAdder();
  private final LongAdder failedForPeer = new LongAdder();

  NicMeters(TransferEngine engine, Nic nic) {
    this.engine = engine;
    this.nic = nic;
    this.tags = Tags.of("nic", nic.name());
  }

  void wayLost() {
    lostWays.increment();
  }

  void transferFailed(TransferException reason) {
    (Outcome.of(reason) == Outcome.PEER_LOST ? failedForPeer : failedLocally).increment();
  }

  private TrafficStats traffic() {
    return Objects.requireNonNull(engine.stats().nics().get(nic));
  }

  /** All that tells of it. */
  void register(Meters meters) {
    meters.gauge(
        "nic.up",
        tags,
        "1, or 0 once the NIC has failed and is not used any more",
        this,
        self -> self.engine.nics().contains(self.nic) ? 1 : 0);
    meters.gauge(
        "nic.writes.active",
        tags,
        "pieces that were posted and not reported",
        this,
        self -> self.traffic().writesInFlight());
    meters.gauge(
        "nic.credits",
        tags,
        "places of its depth that are free",
        this,
        self -> self.traffic().credits());
    for (Figure each : Figure.OF_NICS) {
      meters.counter(
          "nic." + each.meter,
          tags,
          each.unit,
          each.description,
          this,
          self -> each.of.applyAsLong(self.traffic()));
    }
    meters.counter(
        "nic.ways.lost",
        tags,
        null,
        "ways of the NIC to one peer that were lost",
        lostWays,
        LongAdder::sum);
    failures(meters, Outcome.LOCAL, failedLocally);
    failures(meters, Outcome.PEER_LOST, failedForPeer);
  }

  private void failures(Meters meters, Outcome cause, LongAdder count) {
    meters.counter(
        "nic.transfers.failed",
        tags.and("cause", cause.tag),
        null,
        "transfers of which a piece has failed, at once and not when their stream ends",
        count,
        LongAdder::sum);
  }
}
