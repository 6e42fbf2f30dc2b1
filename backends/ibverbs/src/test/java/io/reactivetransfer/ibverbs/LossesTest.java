package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FailingVerbs;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that cannot be reached is reported lost now and then, not all the time. */
@Timeout(30)
class LossesTest {

  private static final int LENGTH = 100;
  private static final long PERIOD_NANOS = 100_000_000;

  private final FakeVerbs fake = new FakeVerbs(2);

  /** Posts and polls as an engine does whose write was not taken, for some periods. */
  private void expectFewLosses(Verbs verbs, Runnable before) {
    TwoNics nics = FakeNics.open(fake, verbs);
    try (Arena arena = Arena.ofShared()) {
      Operation op =
          new Operation()
              .between(
                  nics.source(arena.allocate(LENGTH)),
                  nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH))
              .range(0, 0, LENGTH)
              .withoutImm();
      before.run();
      nics.until(
          "a loss",
          () -> {
            assertThat(nics.origin().post(op).isTaken()).isFalse();
            return nics.atOrigin().count("lost") > 0;
          });
      long since = System.nanoTime();
      nics.until(
          "some periods to pass",
          () -> {
            assertThat(nics.origin().post(op).isTaken()).isFalse();
            return System.nanoTime() - since > 3 * PERIOD_NANOS
                && nics.atOrigin().count("lost") >= 2;
          });
      long periods = (System.nanoTime() - since) / PERIOD_NANOS;
      assertThat(nics.atOrigin().count("lost")).isLessThanOrEqualTo(2 + periods);
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void areToldNowAndThenWhileTheOwnPortIsDown() {
    expectFewLosses(fake, () -> fake.link(0, false));
  }

  @Test
  void areToldNowAndThenWhileNoQueuePairCanBeMade() {
    FailingVerbs failing = new FailingVerbs(fake, 0);
    expectFewLosses(failing.calls(), () -> failing.always("ibv_create_qp"));
  }
}
