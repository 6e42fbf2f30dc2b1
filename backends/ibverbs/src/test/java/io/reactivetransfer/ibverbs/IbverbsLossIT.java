package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/**
 * A network that loses packets, in the guest: cards send again, and nobody notices. Soft-RoCE of
 * Linux 6.1 now and then calls a write invalid that it has sent again, as seldom as
 * docs/backends/ibverbs.md says. That loses a way, and what was on it is written once more.
 */
class IbverbsLossIT {

  private static final int WRITES = 1_500;
  private static final int PERCENT = 2;

  /** Two ways, each as both of its ends say; more are not lost by the card's chance. */
  private static final int LOSSES_AT_MOST = 4;

  /** Far fewer than these must be, and more than one is lost by a chance that can be neglected. */
  private static final int LOST_AT_LEAST = 10;

  @Test
  void bytesAndCountsAreExactWhereEveryFiftiethPacketIsLost() {
    try (Cables cables = new Cables();
        CabledEngines engines = new CabledEngines(1)) {
      CountedWrites there = new CountedWrites(engines, engines.a(), engines.b(), WRITES);
      CountedWrites back = new CountedWrites(engines, engines.b(), engines.a(), WRITES);
      cables.lose(0, PERCENT);
      Map<String, TransferException> failures = new LinkedHashMap<>();
      CabledEngines.complete(
          Flux.merge(there.round(), back.round()).doOnNext(failures::putAll).then());
      assertThat(failures.values())
          .as("failures, one of each text; losses of ways %s", engines.lostWays())
          .matches(all -> all.isEmpty() || !engines.lostWays().isEmpty());
      assertThat(engines.lostWays())
          .as("losses of ways; failures %s", failures.values())
          .hasSizeLessThanOrEqualTo(LOSSES_AT_MOST);
      assertThat(cables.lost(0)).as("packets that were lost").isGreaterThan(LOST_AT_LEAST);
    }
  }
}
