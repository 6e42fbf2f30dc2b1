package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FailingVerbs;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A NIC that cannot go on, while its device still acknowledges what is written to it: it is shut
 * before it is told that it has failed, so that all that was acknowledged is counted.
 */
@Timeout(30)
class BrokenNicTest {

  private static final int LENGTH = 100;
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int WHILE_SHUT = 5;

  /** In which a queue pair is put into another state only when the test says so. */
  private static final class SlowVerbs extends FakeVerbs {

    private static final long PATIENCE_SECONDS = 20;

    final CountDownLatch answer = new CountDownLatch(1);
    volatile boolean mustWait;
    volatile boolean waits;

    SlowVerbs() {
      super(2);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // other calls do not wait for it
    public int ibv_modify_qp(long qp, long attr, int mask) {
      if (mustWait) {
        waits = true;
        try {
          boolean ignored = answer.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return super.ibv_modify_qp(qp, attr, mask);
    }
  }

  private final SlowVerbs fake = new SlowVerbs();
  private final FailingVerbs noReceives = new FailingVerbs(fake, 0);
  private final Arena arena = Arena.ofShared();
  private TwoNics nics;
  private Operation write;
  private long token = 100;

  /** It is being shut from now on, for so long at most. */
  private void breaks(Duration mostShutting) {
    nics = FakeNics.openToBeShutWithin(fake, noReceives.calls(), mostShutting);
    LocalMemory source = nics.source(arena.allocate(LENGTH));
    RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
    write = new Operation().between(source, target).range(0, 0, LENGTH);
    nics.write(source, target, 1, each -> 0, LENGTH, false);
    noReceives.always("ibv_post_srq_recv");
    fake.mustWait = true;
    long begin = System.nanoTime();
    while (!fake.waits) {
      postOne();
      nics.poll(true);
      nics.poll(false);
      assertThat(System.nanoTime() - begin).isLessThan(10_000_000_000L);
    }
  }

  @AfterEach
  void isClosed() {
    assertThat(nics.close()).isTrue();
    arena.close();
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  /** Of the NIC at the origin, which does not take it while it has no connection. */
  private boolean postOne() {
    if (nics.post(true, write.withImm(77).token(token))) {
      token++;
    }
    nics.origin().flush();
    return true;
  }

  private long counted() {
    return nics.atTarget().reports().stream().filter("imm 77"::equals).count();
  }

  /** All but the first of them have an immediate. */
  private long written() {
    return nics.atOrigin().count("written") - 1;
  }

  private boolean isRefused() {
    return nics.atOrigin().texts().stream().anyMatch(each -> each.contains("could not connect: "));
  }

  /** The origin hears nothing of the target yet. */
  private void writeMore() {
    long before = written();
    long begin = System.nanoTime();
    while (written() < before + WHILE_SHUT) {
      postOne();
      nics.poll(true);
      nics.poll(false);
      assertThat(System.nanoTime() - begin).isLessThan(10_000_000_000L);
    }
  }

  @Test
  void countsWhatIsAcknowledgedUntilItIsShut() {
    breaks(LONG);
    writeMore();
    assertThat(nics.atTarget().has("broken")).as("told before it is shut").isFalse();
    fake.answer.countDown();
    nics.until("the failure", () -> nics.atTarget().has("broken"));
    assertThat(nics.atTarget().count("broken")).isEqualTo(1);
    nics.untilAllAreReported();
    assertThat(counted()).as("counted, of those that are written").isEqualTo(written());
  }

  /**
   * An origin that asks anew would else write to a NIC that counts no more. It may lose the
   * connection that it had before it asks.
   */
  @Test
  void takesNobodyInAgain() {
    breaks(LONG);
    fake.answer.countDown();
    nics.until("the failure", () -> nics.atTarget().has("broken"));
    nics.until("a refusal", () -> postOne() && isRefused());
    nics.untilAllAreReported();
    assertThat(counted()).as("counted, of those that are written").isEqualTo(written());
  }

  /** Whoever else waits for its failure does not do so for ever. */
  @Test
  void isToldInTimeWhereItCannotBeShut() {
    breaks(Duration.ofMillis(500));
    nics.until("the failure", () -> nics.atTarget().has("broken"));
    fake.answer.countDown();
  }
}
