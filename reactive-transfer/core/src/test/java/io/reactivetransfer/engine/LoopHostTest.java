package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.spi.WorkerLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class LoopHostTest {

  /** Has no memory for the first turn that it is asked for. */
  private static final class NarrowLoop implements WorkerLoop {
    private final List<Runnable> turns = new ArrayList<>();
    private boolean hasRoom;

    @Override
    public void execute(Runnable action) {
      if (!hasRoom) {
        hasRoom = true;
        throw new OutOfMemoryError("thrown by the test");
      }
      turns.add(action);
    }

    @Override
    public void schedule(Runnable action, long delayNanos) {}

    @Override
    public boolean inLoop() {
      return true;
    }

    @Override
    public CompletionStage<Void> close() {
      return CompletableFuture.completedStage(null);
    }
  }

  @Test
  void aRingThatFailedIsNoReasonNotToRingAgain() {
    NarrowLoop loop = new NarrowLoop();
    LoopHost host = new LoopHost(loop);
    assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(host::ring);
    host.ring();
    host.ring();
    assertThat(loop.turns).hasSize(1);
  }
}
