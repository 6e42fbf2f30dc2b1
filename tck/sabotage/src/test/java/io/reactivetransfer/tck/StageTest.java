package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Nic;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What is not closed because something else could not be would be held against later tests. */
class StageTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  /** A backend whose NICs and channels cannot be closed; on which thread was tried last. */
  private static Backend stubborn(AtomicReference<Thread> tried) {
    return new ForwardingBackend(
        new LoopbackBackend(),
        (domain, context) -> new StubbornNic(domain, tried),
        (channel, context) -> new StubbornChannel(channel, tried));
  }

  private static RuntimeException failed(AtomicReference<Thread> tried) {
    tried.set(Thread.currentThread());
    return new IllegalStateException("stuck");
  }

  private static final class StubbornNic extends ForwardingDomain {
    private final AtomicReference<Thread> tried;

    StubbornNic(Domain inner, AtomicReference<Thread> tried) {
      super(inner);
      this.tried = tried;
    }

    @Override
    public void close() {
      inner.close();
      throw failed(tried);
    }
  }

  private static final class StubbornChannel extends ForwardingControl {
    private final AtomicReference<Thread> tried;

    StubbornChannel(ControlChannel inner, AtomicReference<Thread> tried) {
      super(inner);
      this.tried = tried;
    }

    @Override
    public void close() {
      inner.close();
      throw failed(tried);
    }
  }

  private static void awaitEnd(AtomicReference<Thread> tried) throws InterruptedException {
    assertThat(tried.get().join(PATIENCE)).as("whether the thread has ended").isTrue();
  }

  @Test
  void aStepThatFailsLeavesNothingElseOpen() {
    Stage stage = new Stage(new LoopbackConformanceTest(), 1);
    TransferEngine engine = stage.open(1);
    StringBuilder done = new StringBuilder();
    stage.atEnd(() -> done.append("first"));
    stage.atEnd(() -> {
      throw new IllegalStateException("stuck, too");
    });
    stage.atEnd(() -> {
      throw new IllegalStateException("stuck");
    });

    assertThatThrownBy(stage::close)
        .hasMessage("stuck")
        .satisfies(failure ->
            assertThat(failure.getSuppressed())
                .extracting(Throwable::getMessage)
                .containsExactly("stuck, too"));
    assertThat(done).hasToString("first");
    assertThat(engine.isClosed()).isTrue();
  }

  @Test
  void theThreadOfANicEndsEvenIfTheNicCannotBeClosed() throws Exception {
    AtomicReference<Thread> tried = new AtomicReference<>();
    BareNic nic = new BareNic(stubborn(tried), new EngineId(7, 7), PATIENCE);
    assertThatThrownBy(nic::close).hasMessageContaining("stuck");
    awaitEnd(tried);
  }

  @Test
  void theThreadOfAChannelEndsEvenIfTheChannelCannotBeClosed() throws Exception {
    AtomicReference<Thread> tried = new AtomicReference<>();
    BareChannel channel = new BareChannel(stubborn(tried), PATIENCE);
    assertThatThrownBy(channel::close).hasMessageContaining("stuck");
    awaitEnd(tried);
  }

  /** A backend that opens nothing. */
  private static Backend closedBackend(AtomicReference<Thread> tried) {
    return new ForwardingBackend(new LoopbackBackend(), (domain, context) -> domain) {
      @Override
      public CompletionStage<Domain> open(Nic nic, OpenContext context) {
        return refused();
      }

      @Override
      public CompletionStage<ControlChannel> openControl(ControlContext context) {
        return refused();
      }

      private <T> CompletionStage<T> refused() {
        tried.set(Thread.currentThread());
        return CompletableFuture.failedStage(new BackendException(0, "not today"));
      }
    };
  }

  @Test
  void whatCannotBeOpenedLeavesNoThread() throws Exception {
    AtomicReference<Thread> tried = new AtomicReference<>();
    Backend backend = closedBackend(tried);
    assertThatThrownBy(() -> new BareNic(backend, new EngineId(7, 7), PATIENCE))
        .hasMessageContaining("not today");
    awaitEnd(tried);
    assertThatThrownBy(() -> new BareChannel(backend, PATIENCE)).hasMessageContaining("not today");
    awaitEnd(tried);
  }
}
