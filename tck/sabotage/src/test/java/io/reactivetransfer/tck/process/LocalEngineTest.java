package io.reactivetransfer.tck.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LocalEngineTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private static final class CountedNic extends ForwardingDomain {
    private final AtomicInteger closed;

    CountedNic(Domain inner, AtomicInteger closed) {
      super(inner);
      this.closed = closed;
    }

    @Override
    public void close() {
      closed.incrementAndGet();
      inner.close();
    }
  }

  @Test
  void withoutItsMemoryItsEngineIsClosed() {
    AtomicInteger closed = new AtomicInteger();
    Backend backend =
        new ForwardingBackend(
            new LoopbackBackend(), (domain, context) -> new CountedNic(domain, closed));
    EngineOptions options = EngineOptions.builder().nics(1).build();
    assertThatThrownBy(() -> new LocalEngine(backend, options, 1, -1, PATIENCE) {})
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(closed).hasValue(1);
  }
}
