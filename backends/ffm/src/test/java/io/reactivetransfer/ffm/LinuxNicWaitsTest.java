package io.reactivetransfer.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.ffm.ffi.Poll;
import io.reactivetransfer.ffm.ffi.PollByLinker;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.NicWait;
import io.reactivetransfer.spi.NicWaits;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class LinuxNicWaitsTest {

  private static final long LONG = Duration.ofSeconds(30).toNanos();
  private static final int EBADF = 9;

  /** Of what is left to chance; each starts a thread. */
  private static final int ROUNDS = 125 * Integer.getInteger("reactivetransfer.rounds", 1);

  private static final int WAITS = 2_000;

  private final Poll poll = new PollByLinker();
  private final int descriptor = poll.eventfd(0, Poll.EFD_NONBLOCK);
  private final NicWait wait = new LinuxNicWaits().open();

  @AfterEach
  void close() {
    wait.close();
    poll.close(descriptor);
  }

  @Test
  void isFoundAsAService() {
    assertThat(ServiceLoader.load(NicWaits.class).findFirst())
        .get()
        .isInstanceOf(LinuxNicWaits.class)
        .extracting(NicWaits::availability)
        .isEqualTo(Availability.available());
  }

  @Test
  void endsWhenTheTimeIsOver() {
    wait.watch(new int[] {descriptor});
    long begin = System.nanoTime();
    assertThat(wait.await(20_000_000)).isFalse();
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
    assertThat(wait.await(0)).isFalse();
  }

  @Test
  void endsAtOnceForAsLongAsADescriptorIsReadable() {
    wait.watch(new int[] {descriptor});
    poll.eventfd_write(descriptor, 1);
    assertThat(wait.await(LONG)).isTrue();
    assertThat(wait.await(LONG)).isTrue();
  }

  @Test
  void watchesOnlyWhatItWasGivenLast() {
    wait.watch(new int[] {descriptor});
    poll.eventfd_write(descriptor, 1);
    wait.watch(new int[0]);
    assertThat(wait.await(0)).isFalse();
  }

  @Test
  void aWakeEndsOneWaitPresentOrNext() throws InterruptedException {
    wait.watch(new int[] {descriptor});
    wait.wake();
    wait.wake();
    assertThat(wait.await(LONG)).isTrue();
    assertThat(wait.await(0)).isFalse();
    Thread waker = Thread.ofPlatform().start(wait::wake);
    assertThat(wait.await(LONG)).isTrue();
    waker.join();
  }

  @Test
  void allocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    wait.watch(new int[] {descriptor});
    long least = Long.MAX_VALUE;
    long end = System.nanoTime() + LONG;
    while (least >= 1_000 && System.nanoTime() < end) { // until it is compiled
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < WAITS; i++) {
        wait.await(0);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    // what the JVM itself may allocate meanwhile; an object for each wait would be more
    assertThat(least).as("bytes in %s waits", WAITS).isLessThan(1_000);
  }

  @Test
  void namesADescriptorThatIsNotOpen() {
    int closed = poll.eventfd(0, 0);
    assertThat(poll.close(closed)).isZero();
    assertThat(poll.close(closed)).isEqualTo(-EBADF);
    wait.watch(new int[] {descriptor, closed});
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> wait.await(LONG))
        .withMessageContaining("cannot wait for descriptor " + closed);
  }

  @Test
  void aWakeAfterTheEndTouchesNothing() throws InterruptedException, IOException {
    long before = descriptors();
    for (int i = 0; i < ROUNDS; i++) {
      NicWait other = new LinuxNicWaits().open();
      AtomicInteger wakes = new AtomicInteger();
      Thread waker =
          Thread.ofPlatform()
              .start(() -> {
                while (wakes.incrementAndGet() < 100) {
                  other.wake();
                }
              });
      while (wakes.get() == 0) {
        Thread.onSpinWait();
      }
      other.close();
      // may get the number that the other one had
      int stranger = poll.eventfd(0, Poll.EFD_NONBLOCK);
      waker.join();
      NicWait witness = new LinuxNicWaits().open();
      witness.watch(new int[] {stranger});
      assertThat(witness.await(0)).as("round %d: written to", i).isFalse();
      witness.close();
      poll.close(stranger);
    }
    // Whatever else this process opens and closes meanwhile is none of it.
    Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> descriptors() <= before);
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }

  @Test
  void isUnavailableElsewhere() {
    LinuxNicWaits elsewhere =
        new LinuxNicWaits(
            "Mac OS X",
            () -> {
              throw new AssertionError("linked");
            });
    assertThat(elsewhere.availability()).isInstanceOf(Availability.Unavailable.class);
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(elsewhere::open)
        .withMessageContaining("this is Mac OS X");
  }
}
