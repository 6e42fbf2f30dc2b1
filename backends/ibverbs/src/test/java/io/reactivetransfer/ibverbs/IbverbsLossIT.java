package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** A network that loses packets, in the guest: cards send again, and nobody notices. */
class IbverbsLossIT {

  private static final int WRITES = 1_500;
  private static final int PERCENT = 2;

  /** Far fewer than these must be, and more than one is lost by a chance that can be neglected. */
  private static final int LOST_AT_LEAST = 10;

  @Test
  void bytesAndCountsAreExactWhereEveryFiftiethPacketIsLost() {
    try (Cables cables = new Cables();
        CabledEngines engines = new CabledEngines(1)) {
      CountedWrites there = new CountedWrites(engines, engines.a(), engines.b(), WRITES);
      CountedWrites back = new CountedWrites(engines, engines.b(), engines.a(), WRITES);
      cables.lose(0, PERCENT);
      Map<String, TransferException> failures = new HashMap<>();
      CabledEngines.complete(
          Flux.merge(there.round(), back.round()).doOnNext(failures::putAll).then());
      assertThat(failures.keySet()).as("failed writes").isEmpty();
      assertThat(cables.lost(0)).as("packets that were lost").isGreaterThan(LOST_AT_LEAST);
    }
  }
}
