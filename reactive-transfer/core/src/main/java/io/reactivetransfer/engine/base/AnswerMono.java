package io.reactivetransfer.engine.base;

import java.util.function.Consumer;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Asks once for each subscription; see {@link Answer}. */
public final class AnswerMono<T> extends Mono<T> {

  private final Scheduler signals;
  private final Consumer<Answer<T>> question;

  public AnswerMono(Scheduler signals, Consumer<Answer<T>> question) {
    this.signals = signals;
    this.question = question;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> actual) {
    Answer<T> answer = new Answer<>(actual, signals);
    try {
      actual.onSubscribe(answer);
      question.accept(answer);
    } catch (Throwable e) {
      answer.error(e);
    }
  }
}
