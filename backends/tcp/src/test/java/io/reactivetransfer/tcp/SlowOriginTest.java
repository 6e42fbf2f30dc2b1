package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An origin that writes, and does not read what becomes of it. */
class SlowOriginTest {

  private static final int CHUNK = 1_000;

  /** Their refusals are more than all buffers of the system take. */
  private static final int MANY = 3_000_000;

  private final TestNic nic = new TestNic();

  @AfterEach
  void close() {
    nic.close();
  }

  @Test
  void itIsNotReadAnyMoreAndOthersAre() {
    var sink = nic.register(8);
    byte[] unknownKey = new byte[MemoryKey.BYTES];
    AtomicInteger sent = new AtomicInteger();
    try (RawConnection deaf = RawConnection.welcomedBy(nic);
        RawConnection other = RawConnection.welcomedBy(nic, new EngineId(3, 4))) {
      CompletableFuture<Void> flood =
          CompletableFuture.runAsync(() -> {
            while (sent.get() < MANY) {
              deaf.send(out -> {
                for (int i = 0; i < CHUNK; i++) {
                  Wire.putWrite(out, false, 0, MemoryKey.decode(unknownKey), 0, 0);
                }
              });
              sent.addAndGet(CHUNK);
            }
          });
      AtomicInteger seen = new AtomicInteger(-1);
      Awaitility.await()
          .pollDelay(Duration.ofMillis(300))
          .pollInterval(Duration.ofMillis(300))
          .until(() -> sent.get() > 0 && seen.getAndSet(sent.get()) == sent.get());
      assertThat(sent.get()).isLessThan(MANY);

      other.writeHead(sink.local().key(), 0, 8, 6);
      other.send(new byte[8]);

      assertThat(other.ack()).isEqualTo(1);
      assertThat(flood).isNotDone();
      deaf.reset();
      assertThat(flood.handle((_, error) -> error).join())
          .hasCauseInstanceOf(UncheckedIOException.class);
    }
  }
}
