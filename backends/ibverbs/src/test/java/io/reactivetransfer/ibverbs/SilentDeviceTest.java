package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.EndingVerbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A device that never says that a queue pair takes no more receives, so it is waited in vain. */
@Timeout(30)
class SilentDeviceTest {

  private static final int LENGTH = 100;

  /** None of these is about a peer that does not answer in time. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final int ENDS = 15;
  private static final long TOKEN = 50;
  private static final int IMM = 77;
  private static final long LOOK_NANOS = 50_000_000;

  private final EndingVerbs fake = new EndingVerbs();
  private final TwoNics nics = FakeNics.open(fake, fake, PATIENCE);

  /** How much the target has done. */
  private int done;

  @BeforeEach
  void isSilent() {
    fake.sayNoLast();
  }

  private void pollTargetUntilItHasDone(int things) {
    long begin = System.nanoTime();
    while (done < things) {
      done += nics.target().poll(nics.atTarget());
      assertThat(System.nanoTime() - begin).as("ns").isLessThan(PATIENCE.toNanos());
    }
  }

  /** The completion comes when the wait is over, and what is destroyed takes it along. */
  @Test
  void isLookedAtOnceMoreBeforeTheQueuePairIsDestroyed() {
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      nics.write(source, target, 1, each -> 0, LENGTH, true);
      nics.until("the first immediate", () -> nics.atTarget().has("imm"));
      Operation op = new Operation().between(source, target).range(0, 0, LENGTH).withImm(IMM);
      assertThat(nics.post(true, op.token(TOKEN))).isTrue();
      long begin = System.nanoTime();
      while (nics.atOrigin().reportsOf(TOKEN) == 0) { // the target does not look meanwhile
        nics.poll(true);
        assertThat(System.nanoTime() - begin).as("ns").isLessThan(PATIENCE.toNanos());
      }
      fake.withhold(true);
      nics.giveUp(false);
      pollTargetUntilItHasDone(2); // it has told its peer, and the queue pair is stopped
      pollTargetUntilItHasDone(3); // it has waited in vain
      long since = System.nanoTime();
      while (System.nanoTime() - since < LOOK_NANOS) {
        Thread.onSpinWait(); // whoever would destroy it now does so on a thread of its own
      }
      assertThat(fake.queuePairs()).as("while it was not looked at").isEqualTo(2);
      fake.withhold(false);
      nics.until("the queue pair to be gone", () -> fake.openToWrites() == 0);
      assertThat(nics.atTarget().has("imm " + IMM)).as("whether it was counted").isTrue();
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  /** The shortest of several is looked at: this thread may be kept from polling for a while. */
  @Test
  void isWaitedForAMomentOnlyWhenThatWasInVainThreeTimes() {
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      for (int i = 0; i < ENDS; i++) {
        nics.write(source, target, 1, each -> 0, LENGTH, true);
        nics.disconnect();
      }
      List<Long> waits = fake.waits();
      assertThat(waits).as("ends that were waited for").hasSize(ENDS);
      assertThat(waits.subList(0, LastReceives.MOST_IN_VAIN))
          .as("the first ones, in ns")
          .allMatch(nanos -> nanos >= LastReceives.WAIT_NANOS);
      List<Long> later = waits.subList(LastReceives.MOST_IN_VAIN, ENDS);
      assertThat(later)
          .as("those behind, in ns")
          .allMatch(nanos -> nanos >= LastReceives.SHORT_WAIT_NANOS)
          .anyMatch(nanos -> nanos < LastReceives.WAIT_NANOS);
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.mistakes()).isEmpty();
  }
}
