package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whether a port still has the address that peers know is asked for, and asked for again. */
@Timeout(60)
class LostAddressTest {

  private static final int LENGTH = 100;

  /** None of these is about a peer that does not answer in time. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Which notes when it is asked for an address, and may take its time to answer. */
  private static final class AskedVerbs extends FakeVerbs {

    private static final int ENODATA = 61;
    private static final int ANOTHER_INDEX = 1;
    private static final long PATIENCE_SECONDS = 30;

    final List<Long> askedNanos = new CopyOnWriteArrayList<>();
    volatile CountDownLatch answer = new CountDownLatch(0);
    volatile boolean isGone;
    volatile boolean isAnother;

    AskedVerbs() {
      super(2);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // other calls do not wait for it
    public int ibv_query_gid_ex(long context, int port, int index, long entry) {
      boolean wasGone = isGone; // by when it was asked, and not by when the test has heard of that
      askedNanos.add(System.nanoTime());
      try {
        assertThat(answer.await(PATIENCE_SECONDS, TimeUnit.SECONDS))
            .as("whether the test went on meanwhile")
            .isTrue();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return wasGone
          ? -ENODATA
          : super.ibv_query_gid_ex(context, port, isAnother ? ANOTHER_INDEX : index, entry);
    }
  }

  private final AskedVerbs fake = new AskedVerbs();
  private final TwoNics nics = FakeNics.open(fake, fake, PATIENCE);
  private final Arena arena = Arena.ofShared();
  private final LocalMemory source = nics.source(arena.allocate(LENGTH));
  private final RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);

  @BeforeEach
  void areConnected() {
    nics.write(source, target, 1, each -> 0, LENGTH, false);
    assertThat(nics.atOrigin().reports()).containsExactly("written 0");
    fake.askedNanos.clear();
  }

  @AfterEach
  void areClosed() {
    assertThat(nics.close()).isTrue();
    arena.close();
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  private void untilItIsAskedFor(int times) {
    nics.until("asked " + times + " times", () -> fake.askedNanos.size() >= times);
  }

  private void untilItIsLost() {
    nics.until("a loss", () -> nics.atOrigin().has("lost"));
    assertThat(nics.atOrigin().texts().getFirst()).startsWith("port fake0 has lost its address ");
  }

  private void untilItWorksAgain() {
    nics.until(
        "a write to be done again",
        () -> {
          nics.write(source, target, 1, each -> 0, LENGTH, true);
          return nics.atTarget().has("imm");
        });
    assertThat(nics.wrongReports()).isEmpty();
  }

  /** A device may take its time, and what is written must not wait for that. */
  @Test
  void isAskedForWhileTheNicGoesOn() {
    fake.answer = new CountDownLatch(1);
    fake.address(0, true);
    untilItIsAskedFor(1);
    nics.write(source, target, 10, each -> 0, LENGTH, true);
    assertThat(nics.atOrigin().count("written")).isEqualTo(11);
    fake.answer.countDown();
  }

  /** The answer may be that of before. */
  @Test
  void isAskedForAgainWhereItHasChangedMeanwhile() {
    fake.answer = new CountDownLatch(1);
    fake.address(0, true);
    untilItIsAskedFor(1);
    fake.address(0, true);
    long since = System.nanoTime();
    nics.until("the device to be heard", () -> System.nanoTime() - since > 50_000_000);
    assertThat(fake.askedNanos).as("asked before there is an answer").hasSize(1);
    fake.answer.countDown();
    untilItIsAskedFor(2);
  }

  /** The event that says that it is back may have come before it is. */
  @Test
  void isAskedForAgainEachSecondWhileItIsGone() {
    fake.isGone = true;
    fake.address(0, true);
    untilItIsLost();
    untilItIsAskedFor(2);
    assertThat(fake.askedNanos.get(1) - fake.askedNanos.get(0))
        .as("between the two, in ns")
        .isGreaterThan(500_000_000);
    fake.isGone = false;
    untilItWorksAgain();
    assertThat(fake.askedNanos).as("asked without an event").hasSize(3);
  }

  /** Peers do not know the other one. */
  @Test
  void isLostWhereAnotherOneIsInItsPlace() {
    fake.isAnother = true;
    fake.address(0, true);
    untilItIsLost();
    fake.isAnother = false;
    fake.address(0, true);
    untilItWorksAgain();
  }

  @Test
  void isLostWhereItsLidIsAnotherOne() {
    fake.lid(0, 7);
    untilItIsLost();
    fake.lid(0, 0);
    untilItWorksAgain();
  }
}
