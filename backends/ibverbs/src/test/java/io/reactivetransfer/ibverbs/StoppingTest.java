package io.reactivetransfer.ibverbs;

import static io.reactivetransfer.ibverbs.ffi.EndingVerbs.DESTROY;
import static io.reactivetransfer.ibverbs.ffi.EndingVerbs.STOP;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.EndingVerbs;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A queue pair is put into the state of error before it is destroyed, where that can be. */
@Timeout(30)
class StoppingTest {

  private static final int LENGTH = 100;

  /** None of these is about a peer that does not answer in time. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final int BOTH = 2;

  private final EndingVerbs fake = new EndingVerbs();
  private final TwoNics nics = FakeNics.open(fake, fake, PATIENCE);

  /** After three in vain it is destroyed without that: it must not stay for ever. */
  @ParameterizedTest(name = "refused {0} times, tried {1} times")
  @CsvSource({"0, 1", "1, 2", "2, 3", "3, 3", "9, 3"})
  void isTriedUntilItIsDoneButThreeTimesAtMost(int refused, int tried) {
    List<String> steps = new ArrayList<>(Collections.nCopies(tried, STOP));
    steps.add(DESTROY);
    try (Arena arena = Arena.ofShared()) {
      nics.write(
          nics.source(arena.allocate(LENGTH)),
          nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH),
          1,
          each -> 0,
          LENGTH,
          true);
      fake.refuseStops(refused);
      nics.disconnect();
      assertThat(fake.steps()).hasSize(BOTH).containsOnly(steps);
      assertThat(fake.queuePairs()).isZero();
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  /** Its peer has not answered, so nothing is sent or received, and a device may refuse it. */
  @Test
  void isLeftOutForAQueuePairThatWasNeverBegunToBeConnected() {
    try (Arena arena = Arena.ofShared()) {
      Operation op =
          new Operation()
              .between(
                  nics.source(arena.allocate(LENGTH)),
                  nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH))
              .range(0, 0, LENGTH);
      assertThat(nics.post(true, op.token(0).withoutImm())).isFalse();
      long begin = System.nanoTime();
      while (nics.atOrigin().said().isEmpty()) { // what is said is not delivered
        nics.poll(true);
        assertThat(System.nanoTime() - begin).as("ns").isLessThan(PATIENCE.toNanos());
      }
      nics.atOrigin().said().clear();
      CompletableFuture<Void> fence = nics.giveUp().toCompletableFuture();
      nics.until("the fence to end", fence::isDone);
      assertThat(fake.steps()).containsExactly(List.of(DESTROY));
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.mistakes()).isEmpty();
  }
}
