package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that stood still for longer than a peer may take to connect. */
@Timeout(60)
class StandstillTest {

  private static final int LENGTH = 100;
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  @AutoClose private final Arena arena = Arena.ofShared();
  private final FakeVerbs fake = new FakeVerbs(2);
  private final TwoNics nics = FakeNics.open(fake, fake, TIMEOUT);

  @Test
  void doesNotHoldAPeerForSilentThatHasAnsweredMeanwhile() {
    LocalMemory source = nics.source(arena.allocate(LENGTH));
    RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
    Operation write = new Operation().between(source, target).range(0, 0, LENGTH).token(1);
    assertThat(nics.post(true, write)).as("taken over without a connection").isFalse();
    while (nics.atOrigin().said().isEmpty()) {
      nics.poll(true);
    }
    nics.deliverOne(false);
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < TIMEOUT.toNanos() + TIMEOUT.toNanos() / 4) {
      nics.poll(false);
    }
    assertThat(nics.atTarget().said()).as("what the target has answered").isNotEmpty();
    nics.until("it to be taken over", () -> nics.post(true, write));
    nics.untilAllAreReported();
    assertThat(nics.atOrigin().reports()).containsExactly("written 1");
    assertThat(nics.close()).isTrue();
  }
}
