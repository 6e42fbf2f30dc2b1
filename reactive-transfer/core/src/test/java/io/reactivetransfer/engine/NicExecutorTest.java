package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tasks on the thread of the NICs. */
class NicExecutorTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final List<String> done = new ArrayList<>();

  @Test
  void tasksRunInOrderOnTheWorker() {
    hand.open(1);
    Executor executor = hand.engine().executor();
    executor.execute(() -> {
      done.add("a " + hand.loop.inLoop());
      executor.execute(() -> done.add("c"));
    });
    hand.engine().scheduler().schedule(() -> done.add("b"));
    assertThat(done).isEmpty();
    hand.turn();
    assertThat(done).containsExactly("a true", "b", "c");
  }

  @Test
  void whatThrowsEndsNothing() {
    hand.open(1);
    Executor executor = hand.engine().executor();
    executor.execute(() -> {
      throw new IllegalStateException("a defect of a user's");
    });
    executor.execute(() -> done.add("next"));
    hand.turn();
    assertThat(done).containsExactly("next");
    assertThat(hand.engine().isClosed()).isFalse();
    assertThatNullPointerException().isThrownBy(() -> executor.execute(null));
  }

  /** What is handed over in the turn in which the engine closes was taken, so it runs. */
  @Test
  void whatWasTakenBeforeTheEndRuns() {
    hand.open(1);
    Executor executor = hand.engine().executor();
    executor.execute(() -> {
      hand.engine().close().subscribe();
      executor.execute(() -> done.add("taken"));
    });
    hand.turn();
    hand.settle();
    assertThat(done).containsExactly("taken");
  }

  @Test
  void aClosedEngineTakesNone() {
    hand.open(1);
    Executor executor = hand.engine().executor();
    hand.close();
    hand.settle();
    assertThatExceptionOfType(RejectedExecutionException.class)
        .isThrownBy(() -> executor.execute(() -> done.add("late")));
    assertThat(done).isEmpty();
  }
}
