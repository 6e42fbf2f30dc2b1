package io.reactivetransfer.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Given once, told once, and undone if nobody takes it. */
class AnswerTest {

  private final HandScheduler signals = new HandScheduler();
  private int undone;
  private int withdrawn;
  private Answer<String> answer;

  private Probe<String> ask(Probe<String> probe) {
    new AnswerMono<String>(signals, a -> answer = a).subscribe(probe);
    return probe;
  }

  private void succeed() {
    answer.success("yes", () -> undone++);
    signals.runUntilIdle();
  }

  @Test
  void aValueIsToldWhenItIsWanted() {
    Probe<String> probe = ask(new Probe<>(0));
    succeed();
    assertThat(probe.items()).isEmpty();
    probe.request(5);
    probe.request(1);
    signals.runUntilIdle();
    assertThat(probe.assertComplete().items()).containsExactly("yes");
    probe.cancel();
    assertThat(undone).isZero();
  }

  @Test
  void anEndIsToldAlsoWhenNothingIsWanted() {
    Probe<String> done = ask(new Probe<>(0));
    answer.success();
    signals.runUntilIdle();
    done.assertComplete();
    Probe<String> failed = ask(new Probe<>(0));
    answer.error(new IllegalStateException("no"));
    signals.runUntilIdle();
    assertThat(failed.error()).hasMessage("no");
  }

  @Test
  void aValueThatNobodyTakesIsUndone() {
    Probe<String> before = ask(Probe.unbounded());
    before.cancel();
    succeed();
    assertThat(undone).isEqualTo(1);
    Probe<String> unwanted = ask(new Probe<>(0));
    succeed();
    unwanted.cancel();
    unwanted.cancel();
    assertThat(undone).isEqualTo(2);
    Probe<String> onItsWay = ask(Probe.unbounded());
    answer.success("yes", () -> undone++);
    onItsWay.cancel();
    signals.runUntilIdle();
    assertThat(undone).isEqualTo(3);
    assertThat(onItsWay.items()).isEmpty();
  }

  @Test
  void aQuestionThatNobodyAsksAnyMoreIsWithdrawn() {
    Probe<String> early = ask(Probe.unbounded());
    early.cancel();
    answer.onCancel(() -> withdrawn++);
    assertThat(withdrawn).isEqualTo(1);
    Probe<String> late = ask(Probe.unbounded());
    answer.onCancel(() -> withdrawn++);
    late.cancel();
    late.cancel();
    assertThat(withdrawn).isEqualTo(2);
    Probe<String> answered = ask(Probe.unbounded());
    answer.onCancel(() -> withdrawn++);
    succeed();
    answered.cancel();
    assertThat(withdrawn).isEqualTo(2);
  }

  @Test
  void askingForLessThanOneIsAnErrorAndUndoesIt() {
    Probe<String> probe = ask(new Probe<>(0));
    probe.request(0);
    assertThat(probe.error()).hasMessageContaining("rule 3.9");
    succeed();
    assertThat(undone).isEqualTo(1);
    probe.request(-1);
    probe.assertLawful();
  }

  @Test
  void theFirstAnswerCounts() {
    Probe<String> probe = ask(Probe.unbounded());
    answer.error(new IllegalStateException("first"));
    answer.success("second", () -> undone++);
    answer.success();
    answer.error(new IllegalStateException("third"));
    signals.runUntilIdle();
    assertThat(probe.error()).hasMessage("first");
    probe.assertLawful();
  }

  @Test
  void aDisposedSchedulerSwallowsNothing() {
    signals.rejecting = true;
    Probe<String> probe = ask(Probe.unbounded());
    succeed();
    probe.assertComplete();
  }

  @Test
  void aQuestionThatFailsIsAnError() {
    Probe<String> probe = Probe.unbounded();
    new AnswerMono<String>(
            signals,
            a -> {
              throw new IllegalStateException("cannot even ask");
            })
        .subscribe(probe);
    signals.runUntilIdle();
    assertThat(probe.error()).hasMessage("cannot even ask");
  }
}
