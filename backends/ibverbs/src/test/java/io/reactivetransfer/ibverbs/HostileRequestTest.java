package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.tck.driver.TwoNics;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member of the cluster that says it has begun anew, again and again. */
@Timeout(60)
class HostileRequestTest {

  private static final int REQUESTS = 2_000;
  private static final int MOST_OPEN = 5;

  private final FakeVerbs fake = new FakeVerbs(2);

  private long serial = 1_000;

  private void flood(TwoNics nics, int requests) {
    for (int i = 0; i < requests; i++) {
      nics.hear(SetUp.request(++serial, new SetUp.QueuePair(4_711, 1, Ib.IBV_MTU_4096)));
    }
  }

  @Test
  void getsFewQueuePairsAndNobodyWaitsForIt() {
    TwoNics nics = FakeNics.open(fake, fake);
    for (int round = 0; round < REQUESTS / 100; round++) {
      flood(nics, 100);
      nics.turn();
      assertThat(fake.queuePairs())
          .as("queue pairs: %s", fake.open())
          .isLessThanOrEqualTo(MOST_OPEN);
    }
    CompletableFuture<Void> fence = nics.giveUp().toCompletableFuture();
    nics.until(
        "the fence to end while it goes on",
        () -> {
          flood(nics, 1);
          return fence.isDone();
        });
    assertThat(nics.close()).isTrue();
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }
}
