package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Nic;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Doorbell;
import io.reactivetransfer.spi.OpenContext;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * What rings once is heard, whenever somebody looks: a backend does not ring again for what it has
 * rung for, and the kit would wait for it in vain.
 */
class BareRingTest {

  private static final Duration LONG = Duration.ofSeconds(10);
  private static final int RINGS = 200_000;

  /** Where there is one processor, few rings take as long. */
  private static final long ENOUGH_NANOS = Duration.ofSeconds(1).toNanos();

  private static final class Rung extends ForwardingBackend {

    private Doorbell bell = () -> {};

    Rung(Backend inner) {
      super(inner, (domain, context) -> domain);
    }

    @Override
    public CompletionStage<Domain> open(Nic nic, OpenContext context) {
      bell = context.doorbell();
      return super.open(nic, context);
    }

    @Override
    public CompletionStage<ControlChannel> openControl(ControlContext context) {
      bell = context.doorbell();
      return super.openControl(context);
    }
  }

  private final Rung backend = new Rung(new LoopbackBackend());

  @Test
  void everyRingOfANicIsHeard() throws InterruptedException {
    try (BareNic nic = new BareNic(backend, new EngineId(1, 1), LONG)) {
      assertThat(missed(nic::wasRung)).isZero();
    }
  }

  @Test
  void everyRingOfAChannelIsHeard() throws InterruptedException {
    try (BareChannel channel = new BareChannel(backend, LONG)) {
      assertThat(missed(channel::wasRung)).isZero();
    }
  }

  /** How many of many rings are not heard by who looks while they come, and once after that. */
  private int missed(BooleanSupplier wasRung) throws InterruptedException {
    AtomicInteger wanted = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    Thread ringer =
        new Thread(() -> {
          for (int ring = 1; ring <= RINGS; ring++) {
            while (wanted.get() < ring) {
              Thread.onSpinWait();
            }
            backend.bell.ring();
            done.set(ring);
          }
        });
    ringer.start();
    int missed = 0;
    long begin = System.nanoTime();
    for (int ring = 1; ring <= RINGS && System.nanoTime() - begin < ENOUGH_NANOS; ring++) {
      wanted.set(ring);
      boolean over = false;
      boolean heard = false;
      while (!heard && !over) {
        over = done.get() == ring;
        heard = wasRung.getAsBoolean();
      }
      missed += heard ? 0 : 1;
    }
    wanted.set(RINGS);
    ringer.join();
    return missed;
  }
}
