package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;

/** Who is told how a half of a step has ended, in one life after the other. */
class HalfStateTest {

  private final HalfState<String> state = new HalfState<>();
  private final CoreSubscriber<String> first = new BaseSubscriber<>() {};
  private final CoreSubscriber<String> second = new BaseSubscriber<>() {};

  @Test
  void theFirstSubscriberIsToldAndNobodyElse() {
    assertThat(state.subscribe(first)).isTrue();
    assertThat(state.subscribe(second)).isFalse();
    assertThat(state.told()).isSameAs(first);
  }

  @Test
  void itIsFreeUntilSomebodySubscribesAndWhenHeIsTold() {
    assertThat(state.isFree()).isTrue();
    state.subscribe(first);
    assertThat(state.isFree()).isFalse();
    state.told();
    assertThat(state.isFree()).isTrue();
    assertThat(state.isTold()).isTrue();
  }

  @Test
  void aResultIsGivenOnceWhateverComesFirst() {
    state.subscribe(first);
    assertThat(state.ask()).isFalse();
    assertThat(state.resultIsThere()).isTrue();
    assertThat(state.ask()).isFalse();
    state.told();
    state.anew();
    state.subscribe(second);
    assertThat(state.resultIsThere()).isFalse();
    assertThat(state.ask()).isTrue();
    assertThat(state.ask()).isFalse();
  }

  @Test
  void whoHasCancelledIsNotTold() {
    state.subscribe(first);
    assertThat(state.cancel()).isTrue();
    assertThat(state.cancel()).isFalse();
    assertThat(state.told()).isNull();
  }

  /** What follows from it would meet the next step. */
  @Test
  void oneThatWasCancelledIsNotUsedAgain() {
    state.subscribe(first);
    state.cancel();
    assertThat(state.isFree()).isFalse();
    state.told();
    assertThat(state.isFree()).isFalse();
  }

  @Test
  void whoCancelsWhenHeIsToldDoesNotCancelTheNextOne() {
    state.subscribe(first);
    state.told();
    assertThat(state.cancel()).isFalse();
    state.anew();
    assertThat(state.cancel()).isFalse(); // the subscription of before, and nobody has another yet
    assertThat(state.subscribe(second)).isTrue();
    assertThat(state.told()).isSameAs(second);
  }

  @Test
  void livesDoNotEnd() {
    for (int life = 0; life < 1 << 20; life++) {
      assertThat(state.subscribe(first)).isTrue();
      state.told();
      state.anew();
    }
    for (int life = 0; life < 1 << 7; life++) { // over the bounds of the number of lives
      state.anew();
    }
    state.subscribe(second);
    assertThat(state.cancel()).isTrue();
  }
}
