package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.spi.EngineIdentity;
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

  private final HandLoop loop = new HandLoop();
  private final Worker worker =
      new Worker(EngineIdentity.of(new EngineId(1, 2)), EngineOptions.defaults(), loop::now);
  private final List<String> done = new ArrayList<>();

  @Test
  void whatIsHandedDownInATurnIsDoneInTheSameTaskOfTheLoop() {
    begin();
    worker.commands().execute(() -> also("first", "second"));
    assertThat(loop.step()).isTrue();
    assertThat(done).containsExactly("first", "second");
    assertThat(loop.step()).as("another task").isFalse();
  }

  @Test
  void whatIsHandedDownAgainAndAgainLetsTheLoopDoItsOwnWorkInBetween() {
    begin();
    worker.commands().execute(() -> again(1));
    assertThat(loop.step()).isTrue();
    loop.execute(() -> done.add("the loop's own"));
    int before = done.size();
    assertThat(loop.step()).isTrue();
    assertThat(loop.step()).isTrue();
    assertThat(done.indexOf("the loop's own")).isBetween(before, before + 1_024);
    assertThat(done).as("it goes on").hasSizeGreaterThan(before + 1);
  }

  @Test
  void aRingOfAnotherThreadWithinATurnIsATaskOfItsOwn() throws InterruptedException {
    begin();
    worker
        .commands()
        .execute(() -> {
          Thread other =
              Thread.ofPlatform()
                  .start(() -> worker.commands().execute(() -> done.add("of another thread")));
          joined(other);
          done.add("the turn");
        });
    loop.runUntilIdle();
    assertThat(done).containsExactlyInAnyOrder("the turn", "of another thread");
  }

  private void begin() {
    worker.start(new LoopHost(loop), failure -> done.add("failed: " + failure));
    loop.runUntilIdle();
    done.clear();
  }

  private void also(String now, String then) {
    done.add(now);
    worker.commands().execute(() -> done.add(then));
  }

  private void again(int turn) {
    done.add("turn " + turn);
    worker.commands().execute(() -> again(turn + 1));
  }

  private static void joined(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
