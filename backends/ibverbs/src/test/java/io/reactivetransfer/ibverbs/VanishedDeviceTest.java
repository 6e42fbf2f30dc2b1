package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A device that is taken away: calls fail before the NIC has read that it is gone. */
@Timeout(30)
class VanishedDeviceTest {

  private static final int EIO = 5;

  /** As the kernel answers where it has ended all that a device had. */
  private static final class Vanishing extends FakeVerbs {

    final CountDownLatch asked = new CountDownLatch(1);
    private volatile boolean isGone;

    Vanishing() {
      super(2);
    }

    void vanish() {
      isGone = true;
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // what it calls is synchronized
    public int ibv_dereg_mr(long mr) {
      int result = super.ibv_dereg_mr(mr);
      if (isGone) {
        asked.countDown();
        return -EIO;
      }
      return result;
    }
  }

  @AutoClose private final Arena arena = Arena.ofShared();
  private final Vanishing fake = new Vanishing();
  private final TwoNics nics = FakeNics.open(fake, fake);

  private void areGone() {
    fake.fatal(0);
    fake.fatal(1);
  }

  @Test
  void givesMemoryBackWhenItHasSaidThatItIsGone() throws InterruptedException {
    LocalMemory memory = nics.openToOrigin(arena.allocate(100));
    fake.vanish();
    CompletableFuture<Void> end = nics.target().deregister(memory).toCompletableFuture();
    assertThat(fake.asked.await(20, TimeUnit.SECONDS)).isTrue();
    areGone();
    nics.until("the end", end::isDone);
    assertThatNoException().isThrownBy(end::join);
    assertThat(nics.close()).isTrue();
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void isClosedThoughNobodyHasHeardOfItsEnd() {
    nics.openToOrigin(arena.allocate(100));
    fake.vanish();
    areGone();
    assertThat(nics.close()).isTrue();
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }
}
